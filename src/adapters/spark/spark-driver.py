"""The Spark driver of Orbweaver, run by spark-submit.

It connects to the socket of the process that started it, reads one JSON request per line and writes one JSON
response per line. It ends when the socket is closed, so that a killed process leaves no driver behind.

    {"id": 1, "op": "run", "db": "a", "statements": ["CREATE …"]}      {"id": 1, "ok": null}
    {"id": 2, "op": "rows", "db": "a", "sql": "SELECT …"}              {"id": 2, "ok": {"rows": [{…}, …], "cursor": 2}}
    {"id": 3, "op": "more", "cursor": 2}                               {"id": 3, "ok": {"rows": [{…}, …], "cursor": null}}
    any request that fails                                             {"id": 4, "error": {"type": "…", "message": "…"}}

Each `db` has a Spark session of its own: its temporary views are not seen by others.
"""
import json
import os
import queue
import shutil
import socket
import sys
import threading
import time

from pyspark.sql import Observation, SparkSession
from pyspark.sql.functions import expr

BATCH_BYTES = 1 << 20
STOP_SECONDS = 10


def main(address):
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(address)
    requests = channel.makefile("r", encoding="utf-8", newline="\n")
    responses = channel.makefile("w", encoding="utf-8", newline="\n")

    def respond(**response):
        responses.write(json_of(response) + "\n")
        responses.flush()

    spark = SparkSession.builder.getOrCreate()
    # A job of its own: it fails or waits when there are no executors.
    spark.sparkContext._jsc.sc().range(0, 1, 1, 1).count()
    driver = Driver(spark)
    respond(id=0, ok={"version": spark.version, "application": spark.sparkContext.applicationId})
    for request in read_requests(requests):
        try:
            result = getattr(driver, "op_" + request["op"])(request)
            respond(id=request["id"], ok=result)
        except Exception as error:
            respond(id=request["id"], error={"type": type(error).__name__, "message": message_of(error)})
    # The JVM waits for this process, not the other way round.
    spark.stop()


def json_of(response):
    """Rows are JSON texts already."""
    result = response.get("ok")
    if isinstance(result, Batch):
        return '{"id": %d, "ok": {"rows": [%s], "cursor": %s}}' % (response["id"], ",".join(result.rows), json.dumps(result.cursor))
    return json.dumps(response, ensure_ascii=False)


class Batch:
    def __init__(self, rows, cursor=None):
        self.rows = rows
        self.cursor = cursor


def read_requests(lines):
    """The requests, until the socket is closed. A step that runs then is given up, as its result is not needed any more."""
    arrived = queue.Queue()

    def read():
        for line in lines:
            arrived.put(json.loads(line))
        arrived.put(None)
        time.sleep(STOP_SECONDS)
        os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    while (request := arrived.get()) is not None:
        yield request


def message_of(error):
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    return str(java.toString() if java is not None else error)


class Driver:
    def __init__(self, spark):
        self.spark = spark
        self.sessions = {}
        self.cursors = {}

    def session(self, request):
        db = request["db"]
        if db not in self.sessions:
            self.sessions[db] = self.spark.newSession()
        return self.sessions[db]

    def op_run(self, request):
        for statement in request["statements"]:
            self.session(request).sql(statement)

    def op_rows(self, request):
        """The first rows of a query; `cursor` gives the others, until there is none. Other requests may come in between."""
        rows = self.session(request).sql(
            "SELECT to_json(struct(*), map('ignoreNullFields', 'false')) AS json FROM (%s)" % request["sql"]
        )
        read = rows.toLocalIterator(prefetchPartitions=True) if request.get("many") else iter(rows.collect())
        return self.batch(request["id"], read)

    def op_more(self, request):
        return self.batch(request["cursor"], self.cursors.pop(request["cursor"]))

    def op_stop(self, request):
        self.cursors.pop(request["cursor"], None)

    def batch(self, cursor, read):
        rows, size = [], 0
        for (row,) in read:
            rows.append(row)
            size += len(row)
            if size > BATCH_BYTES:
                self.cursors[cursor] = read
                return Batch(rows, cursor)
        return Batch(rows)

    def op_values(self, request):
        """A temporary view of rows that the request brings."""
        frame = self.session(request).createDataFrame([tuple(row) for row in request["rows"]], request["schema"])
        frame.createOrReplaceTempView(request["name"])

    def op_parquet(self, request):
        """A temporary view of Parquet files, with the file and row of each. Columns that a file does not have are NULL."""
        frame = self.session(request).read.schema(request["schema"]).parquet(*request["files"])
        frame = frame.selectExpr("*", "_metadata.file_path AS file", "_metadata.row_index AS file_row")
        frame.createOrReplaceTempView(request["name"])

    def op_keep(self, request):
        """Writes the rows of a query as Parquet files, and creates a temporary view of them. Returns its `counts`, which are aggregates."""
        session = self.session(request)
        frame = session.sql(request["sql"])
        counts = request.get("counts", {})
        observation = Observation()
        if counts:
            frame = frame.observe(observation, *[expr(sql).alias(name) for name, sql in counts.items()])
        frame.write.mode("overwrite").parquet(request["path"])
        session.read.schema(frame.schema).parquet(request["path"]).createOrReplaceTempView(request["name"])
        return observation.get if counts else {}

    def op_check(self, request):
        """Checks a condition or a query of a user before it is run; returns the kinds of its nodes."""
        parser = self.session(request)._jsparkSession.sessionState().sqlParser()
        if "condition" in request:
            return {"expression": parser.parseExpression(request["condition"]).treeString()}
        return {"plan": parser.parsePlan(request["sql"]).treeString()}

    def op_columns(self, request):
        return [[field.name, field.dataType.simpleString()] for field in self.session(request).sql(request["sql"]).schema]

    def op_add_file(self, request):
        self.spark.sparkContext.addFile(request["path"])

    def op_close(self, request):
        self.sessions.pop(request["db"], None)

    # Files of the CrawlDb. Files on the local disk are replaced with rename(2): Hadoop's local file system deletes the old file first.

    def op_read_file(self, request):
        local = local_path(request["path"])
        if local is not None:
            return open(local, encoding="utf-8").read() if os.path.exists(local) else None
        fs, path = self.hadoop(request["path"])
        if not fs.exists(path):
            return None
        stream = fs.open(path)
        try:
            return bytes(stream.readAllBytes()).decode("utf-8")
        finally:
            stream.close()

    def op_replace_file(self, request):
        """Replaces a file in one atomic step. Everything under `sync` is written to the disk first."""
        local = local_path(request["path"])
        if local is not None:
            for folder in request.get("sync", []):
                sync_tree(local_path(folder))
            with open(local + ".new", "w", encoding="utf-8") as file:
                file.write(request["text"])
                file.flush()
                os.fsync(file.fileno())
            os.replace(local + ".new", local)
            sync_file(os.path.dirname(local))
            return
        fs, path = self.hadoop(request["path"])
        fresh = path.suffix(".new")
        stream = fs.create(fresh, True)
        try:
            stream.write(bytearray(request["text"].encode("utf-8")))
            stream.hsync()
        finally:
            stream.close()
        jvm = self.spark._jvm
        overwrite = self.spark.sparkContext._gateway.new_array(jvm.org.apache.hadoop.fs.Options.Rename, 1)
        overwrite[0] = jvm.org.apache.hadoop.fs.Options.Rename.OVERWRITE
        jvm.org.apache.hadoop.fs.FileContext.getFileContext(path.toUri(), self.hadoop_conf()).rename(fresh, path, overwrite)

    def op_list(self, request):
        """The names in a folder; none when there is no such folder."""
        local = local_path(request["path"])
        if local is not None:
            return sorted(os.listdir(local)) if os.path.isdir(local) else []
        fs, path = self.hadoop(request["path"])
        return sorted(status.getPath().getName() for status in fs.listStatus(path)) if fs.exists(path) else []

    def op_delete(self, request):
        for folder in request["paths"]:
            local = local_path(folder)
            if local is not None:
                shutil.rmtree(local, ignore_errors=True)
            else:
                fs, path = self.hadoop(folder)
                fs.delete(path, True)

    def op_make_folder(self, request):
        local = local_path(request["path"])
        if local is not None:
            os.makedirs(local, exist_ok=True)
        else:
            fs, path = self.hadoop(request["path"])
            fs.mkdirs(path)

    def hadoop_conf(self):
        return self.spark.sparkContext._jsc.hadoopConfiguration()

    def hadoop(self, uri):
        path = self.spark._jvm.org.apache.hadoop.fs.Path(uri)
        return path.getFileSystem(self.hadoop_conf()), path


def local_path(uri):
    """The path of a `file:` address; None for any other."""
    return uri[len("file://"):] if uri.startswith("file://") else None


def sync_tree(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            sync_file(os.path.join(parent, name))
        sync_file(parent)


def sync_file(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


main(sys.argv[1])
