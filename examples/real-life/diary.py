#!/usr/bin/env python3
"""diary.py SOCKET: an asyncio server that minds its life by curfew.py: whoever writes a line to it is told how many there are by now."""

import asyncio
import os
import pathlib
import sys

# Not needed where curfew.py is installed, or lies beside the program.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Sources/clients/python"))
import curfew  # noqa: E402


async def main(path):
    loop = asyncio.get_running_loop()
    ending = asyncio.Event()
    file = pathlib.Path(os.environ["CURFEW_STATE_DIR"], "diary")
    lines = file.read_text().splitlines() if file.exists() else []
    app = curfew.app()

    @app.on("didFinishLaunching")
    def launched(event):
        print(f"launched with {len(lines)} lines, restored: {event.info.get('restored', 'false')}", flush=True)

    @app.on("willTerminate")
    def end(event):
        loop.call_soon_threadsafe(ending.set)

    async def talk(reader, writer):
        while line := await reader.readline():
            lines.append(line.decode().strip())
            with file.open("a") as diary:
                diary.write(lines[-1] + "\n")
            writer.write(f"{len(lines)}\n".encode())
            await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(talk, path)
    app.start()
    await ending.wait()
    server.close()


asyncio.run(main(sys.argv[1]))
