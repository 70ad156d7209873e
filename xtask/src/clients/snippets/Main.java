import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

final class Main {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] f = line.split("\t", -1);
            byte[] body = f[5].getBytes(StandardCharsets.UTF_8);
            boolean valid = Webhooks.isValid(body, f[0], f[1], f[2], List.of(f[4].split(",")), Long.parseLong(f[3]));
            System.out.println(valid ? "valid" : "invalid");
        }
    }
}
