#!/usr/bin/env python3
"""bad_server.py MODE [CERTIFICATE KEY]: a server on 127.0.0.1 that misbehaves; prints its port, then serves until killed."""
import json
import os
import socket
import ssl
import sys
import threading
import time

MODE = sys.argv[1]
VERSION = json.dumps({"major": "1", "minor": "36", "gitVersion": "v1.36.3"}).encode()


def answer(body, status="200 OK", kind="application/json", length=None):
    size = len(body) if length is None else length
    return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n").encode() + body


def node_list(items, kind="NodeList"):
    return json.dumps({"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": items}).encode()


def endless(connection, piece):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        connection.sendall(piece)


def read_request(connection):
    text = b""
    while b"\r\n\r\n" not in text:
        piece = connection.recv(65536)
        if not piece:
            return None
        text += piece
    return text.split(b" ")[1].decode()


def misbehave(connection, target):
    listing = node_list([{"metadata": {"name": "a", "uid": "1", "resourceVersion": "3"}}])
    big = node_list([{"metadata": {"name": "a", "uid": "1", "resourceVersion": "3", "annotations": {"x": "y" * 10_000_000}}}])
    many = b'{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":['
    if MODE == "closes-at-once":
        return
    if MODE == "random-bytes":
        connection.sendall(os.urandom(1_000_000))
    elif MODE == "endless-headers":
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        endless(connection, b"X-Filler: " + b"x" * 1000 + b"\r\n")
    elif MODE == "endless-status-line":
        endless(connection, b"HTTP/1.1 " + b"2" * 65536)
    elif MODE == "silent":
        time.sleep(30)
    elif MODE == "html":
        connection.sendall(answer(b"<!doctype html><html><body><h1>Please log in</h1></body></html>", kind="text/html"))
    elif MODE == "html-503":
        connection.sendall(answer(b"<html>upstream\nis   down</html>", status="503 Service Unavailable", kind="text/html"))
    elif MODE == "redirect":
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")
    elif MODE == "unauthorized":
        body = json.dumps({"kind": "Status", "status": "Failure", "reason": "Unauthorized", "code": 401, "message": "Unauthorized"})
        connection.sendall(answer(body.encode(), status="401 Unauthorized"))
    elif MODE == "not-kubernetes":
        connection.sendall(answer(b'{"hello": "world"}'))
    elif target == "/version":
        connection.sendall(answer(VERSION))
        return "again"
    elif MODE == "truncated-json":
        connection.sendall(answer(listing[: len(listing) // 2]))
    elif MODE == "truncated-body":
        connection.sendall(answer(listing[: len(listing) // 2], length=len(listing)))
    elif MODE == "wrong-kind":
        connection.sendall(answer(node_list([], kind="Deployment")))
    elif MODE == "list-html":
        connection.sendall(answer(b"<html>moved</html>", kind="text/html"))
    elif MODE == "big-object":
        connection.sendall(answer(big))
    elif MODE == "deep-json":
        connection.sendall(answer(b'{"kind":"NodeList","items":' + b"[" * 1_000_000))
    elif MODE == "endless-list":
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"%x\r\n%s\r\n" % (len(many), many))
        endless(connection, b"1000\r\n" + b" " * 0x1000 + b"\r\n")
    elif MODE == "bad-chunks":
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZZZ\r\n" + b"x" * 100_000)
    elif MODE == "negative-length":
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}")
    elif MODE == "good":
        connection.sendall(answer(listing))
    return None


def serve(connection, context):
    try:
        connection.settimeout(30)
        if context is not None:
            connection = context.wrap_socket(connection, server_side=True)
        while True:
            target = read_request(connection)
            if target is None or misbehave(connection, target) != "again":
                break
    except OSError:
        pass
    finally:
        connection.close()


tls = None
if len(sys.argv) == 4:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[2], sys.argv[3])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted, tls), daemon=True).start()
