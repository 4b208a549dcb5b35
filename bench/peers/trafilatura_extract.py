"""Extracts the main text of pages with trafilatura. Reads JSON lines with `html`, writes JSON lines with `text` and `seconds`."""
import json
import sys
import time

import trafilatura

recall = len(sys.argv) > 1 and sys.argv[1] == 'recall'
for line in sys.stdin:
    html = json.loads(line)['html']
    start = time.process_time()
    text = trafilatura.extract(html, include_comments=False, favor_recall=recall) or ''
    print(json.dumps({'text': text, 'seconds': time.process_time() - start}))
