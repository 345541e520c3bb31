"""A client stack written from the documented line protocol alone, with defects to plant by `plant.NAME`.

hang: worker 1 hangs after its third transaction. twice: every tenth operation inserts two rows. lost: every
tenth operation is reported as committed and is rolled back. silent: there are no signs of life. doubt: every
tenth operation is reported as in doubt although it is committed; it is repeated if the task demands that.
"""

import json
import os
import sys
import threading
import time

import psycopg
import pymysql

task = json.loads(sys.stdin.readline())
planted = {name.removeprefix("plant.") for name, value in task["options"].items() if value}
lock = threading.Lock()


def now() -> int:
    return time.monotonic_ns() // 1000


def write(**line: object) -> None:
    with lock:
        print(json.dumps(line), flush=True)


def connect(number: int) -> "psycopg.Connection | pymysql.Connection":
    servers = task["servers"]
    host, _, port = servers[number % len(servers)].rpartition(":")
    account = {"host": host, "port": int(port), "user": task["user"], "password": task["password"]}
    if task["driver"] == "mysql":
        # Behind a proxy a connection may otherwise hang by chance.
        return pymysql.connect(
            **account, database=task["database"], connect_timeout=5, read_timeout=5, write_timeout=5
        )
    return psycopg.connect(**account, dbname=task["database"])


def work(worker: int) -> None:
    connection = None
    tried = 0
    sql = f"INSERT INTO {task['table']} (n, attempt) VALUES (%s, %s) {task['suffix']}"
    number, attempt = 0, 1
    while True:
        n = worker + number * task["workers"]
        start, stage = now(), "acquire"
        outcome = {"outcome": "committed", "stage": "release"}
        try:
            connection = connection or connect(tried)
            stage = "work"
            with connection.cursor() as cursor:
                for _ in range(2 if "twice" in planted and number % 10 == 5 else 1):
                    cursor.execute(sql, (n, attempt))
            stage = "commit"
            if "lost" in planted and number % 10 == 5:
                connection.rollback()
            else:
                connection.commit()
            if "doubt" in planted and number % 10 == 5 and attempt == 1:
                outcome = {"outcome": "in_doubt", "stage": "commit", "code": "planted"}
        except Exception as error:
            connection, tried = None, tried + 1
            failed = "in_doubt" if stage == "commit" else "failed"
            outcome = {"outcome": failed, "stage": stage, "code": type(error).__name__}
        line = {"n": n, "worker": worker, "attempt": attempt, "start_us": start, "end_us": now()}
        write(event="transaction", **line, **outcome)
        if "hang" in planted and worker == 1 and number == 2:
            threading.Event().wait()
        repeated = task["repeat"] and outcome["outcome"] != "committed"
        number, attempt = (number, attempt + 1) if repeated else (number + 1, 1)
        time.sleep(task["think_ms"] / 1000)


def alive() -> None:
    while "silent" not in planted:
        time.sleep(1)
        write(event="alive", at_us=now())


write(event="ready", at_us=now(), driver="planted")
for each in range(task["workers"]):
    threading.Thread(target=work, args=(each,), daemon=True).start()
threading.Thread(target=alive, daemon=True).start()
sys.stdin.read()
with lock:
    print(json.dumps({"event": "end", "at_us": now()}), flush=True)
    os._exit(0)
