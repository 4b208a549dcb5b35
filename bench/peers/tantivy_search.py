"""Indexes documents with tantivy and answers queries, for bench/search-quality.bench.ts.

Reads {"documents": FILE, "queries": FILE} from the command line: JSON lines of documents (id, title, headings, anchors, content) and one
query per line. Prints a JSON line with the ids of the best pages for each query, and the time in milliseconds.
"""

import json
import re
import sys
import time

import tantivy

documents_file, queries_file = sys.argv[1:3]

builder = tantivy.SchemaBuilder()
builder.add_text_field("id", stored=True, tokenizer_name="raw")
for field in ("title", "headings", "anchors", "content"):
    builder.add_text_field(field, tokenizer_name="en_stem")
index = tantivy.Index(builder.build())
writer = index.writer(200_000_000, 1)
with open(documents_file, encoding="utf-8") as lines:
    for line in lines:
        page = json.loads(line)
        writer.add_document(
            tantivy.Document(
                id=page["id"],
                title=page.get("title", ""),
                headings=" \n ".join(page.get("headings", [])),
                anchors=" \n ".join(page.get("anchors", [])),
                content=page["content"],
            )
        )
writer.commit()
writer.wait_merging_threads()
index.reload()
searcher = index.searcher()
FIELDS = ["title", "headings", "anchors", "content"]
BOOSTS = {"title": 5.0, "headings": 2.0, "anchors": 2.0, "content": 1.0}

with open(queries_file, encoding="utf-8") as lines:
    for line in lines:
        words = " ".join(re.findall(r"[^\W_]+", line))
        start = time.perf_counter()
        hits = []
        if words:
            query = index.parse_query(words.lower(), FIELDS, field_boosts=BOOSTS)
            found = searcher.search(query, 10).hits
            hits = [searcher.doc(address)["id"][0] for _, address in found]
        print(json.dumps({"ids": hits, "ms": (time.perf_counter() - start) * 1000}))
