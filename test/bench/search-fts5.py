"""SQLite's FTS5 for test/bench/search.mjs: reads commands as lines of JSON, and answers each with a line of JSON."""
import json
import sqlite3
import sys
import time

db = sqlite3.connect(sys.argv[1])
db.executescript("""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -1000000;
CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT, doc TEXT);
CREATE VIRTUAL TABLE words USING fts5(title, body, content='', tokenize='unicode61 remove_diacritics 2');
""")


def insert(notes):
    count = db.execute("SELECT count(*) FROM notes").fetchone()[0] if insert.next is None else insert.next
    for number, note in enumerate(notes, count + 1):
        db.execute("INSERT INTO notes VALUES (?, ?, ?)", (number, note["name"], json.dumps(note)))
        db.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", (number, note["title"], note["body"]))
    insert.next = count + len(notes)
    db.commit()
    return {}


insert.next = None


def search(text):
    began = time.perf_counter()
    total = db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (text,)).fetchone()[0]
    rows = db.execute(
        "SELECT notes.doc FROM (SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20) AS best "
        "JOIN notes ON notes.id = best.rowid ORDER BY best.rank",
        (text,),
    ).fetchall()
    ms = (time.perf_counter() - began) * 1000
    return {"ms": ms, "total": total, "names": [json.loads(doc)["name"] for (doc,) in rows]}


def size(_):
    pages = db.execute("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'words%'").fetchone()[0]
    return {"bytes": pages, "version": sqlite3.sqlite_version}


for line in sys.stdin:
    command = json.loads(line)
    answer = {"insert": insert, "search": search, "size": size}[command["do"]](command.get("with"))
    print(json.dumps(answer), flush=True)
