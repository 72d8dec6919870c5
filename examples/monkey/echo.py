"""An asyncio server that gives back each line; `echo.py ask` asks it once."""

import asyncio
import os
import sys

PATH = os.environ["CURFEW_STATE_DIR"] + "/echo"


async def answer(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def serve():
    async with await asyncio.start_unix_server(answer, PATH) as server:
        await server.serve_forever()


async def ask():
    reader, writer = await asyncio.open_unix_connection(PATH)
    writer.write(b"well?\n")
    return await reader.readline() == b"well?\n"


if sys.argv[1:] == ["ask"]:
    sys.exit(not asyncio.run(asyncio.wait_for(ask(), 60)))
asyncio.run(serve())
