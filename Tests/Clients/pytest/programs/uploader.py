"""A server that finishes an upload in the background, on a task, and goes on with it when it is opened again."""

import socket
import threading

import curfew

app = curfew.app()
opened = threading.Event()


@app.on("didFinishLaunching")
def launched(event):
    print("restored" if event.info.get("restored") == "true" else "new", flush=True)


@app.on("willEnterForeground")
def enter(event):
    opened.set()


@app.on("willTerminate")
def terminate(event):
    app.stop()


def receive(connection):
    task = app.begin_background_task("upload", lambda: app.end_background_task(task))
    size = len(connection.recv(1 << 16))
    opened.wait()
    connection.sendall(b"go on\n")
    while piece := connection.recv(1 << 16):
        size += len(piece)
    app.end_background_task(task)
    print(f"upload complete: {size} bytes", flush=True)


def serve(server):
    while True:
        threading.Thread(target=receive, args=server.accept()[:1], daemon=True).start()


server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(server,), daemon=True).start()
print(f"listening on {server.getsockname()[1]}", flush=True)
app.run()
