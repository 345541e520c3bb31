import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Makes a file of certificates of authorities, as OpenSSL reads it, into one for Java. Not part of the program. */
public final class TrustStore {
    private TrustStore() {}

    /**
     * Converts the first file into the second one.
     *
     * @param arguments both paths, and the password of the second file
     * @throws Exception a file cannot be read or written
     */
    public static void main(String[] arguments) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream bundle = new FileInputStream(arguments[0])) {
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(bundle)) {
                store.setCertificateEntry("authority" + number++, each);
            }
        }
        try (OutputStream made = new FileOutputStream(arguments[1])) {
            store.store(made, arguments[2].toCharArray());
        }
    }
}
