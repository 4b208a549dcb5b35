import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.MultiFieldQueryParser;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Indexes documents with Lucene and answers queries, for bench/search-quality.bench.ts.
 *
 * Arguments: a file with a document per line (id, title, headings, anchor texts and content, separated by U+001F), and one with a
 * query per line. Prints a JSON line with the ids of the best pages for each query, and the time in milliseconds.
 */
public class LuceneSearch {
  static final String[] FIELDS = {"title", "headings", "anchors", "content"};
  static final Map<String, Float> BOOSTS = Map.of("title", 5f, "headings", 2f, "anchors", 2f, "content", 1f);

  public static void main(String[] args) throws Exception {
    var directory = new ByteBuffersDirectory();
    var analyzer = new EnglishAnalyzer();
    try (var writer = new IndexWriter(directory, new IndexWriterConfig(analyzer));
        var lines = Files.lines(Path.of(args[0]), StandardCharsets.UTF_8)) {
      for (String line : (Iterable<String>) lines::iterator) {
        String[] values = line.split("\u001f", -1);
        var document = new Document();
        document.add(new StringField("id", values[0], Field.Store.YES));
        for (int i = 0; i < FIELDS.length; i++)
          document.add(new TextField(FIELDS[i], values[i + 1], Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
    try (var reader = DirectoryReader.open(directory);
        var queries = Files.lines(Path.of(args[1]), StandardCharsets.UTF_8)) {
      var searcher = new IndexSearcher(reader);
      for (String line : (Iterable<String>) queries::iterator) {
        // The analyzer separates words of queries as those of documents.
        String words = QueryParser.escape(line.toLowerCase());
        long start = System.nanoTime();
        var ids = new StringBuilder();
        if (!words.isBlank()) {
          var query = new MultiFieldQueryParser(FIELDS, analyzer, BOOSTS).parse(words);
          for (ScoreDoc hit : searcher.search(query, 10).scoreDocs) {
            String id = searcher.storedFields().document(hit.doc).get("id");
            ids.append(ids.isEmpty() ? "" : ",").append('"').append(id.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
          }
        }
        System.out.println("{\"ids\":[" + ids + "],\"ms\":" + (System.nanoTime() - start) / 1e6 + "}");
      }
    }
  }
}
