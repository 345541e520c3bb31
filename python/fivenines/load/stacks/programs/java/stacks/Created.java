package stacks;

import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import com.zaxxer.hikari.metrics.PoolStats;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections that a pool has opened. */
final class Created implements MetricsTrackerFactory {
    private final AtomicInteger number = new AtomicInteger();

    int number() {
        return number.get();
    }

    @Override
    public IMetricsTracker create(String pool, PoolStats statistics) {
        return new IMetricsTracker() {
            @Override
            public void recordConnectionCreatedMillis(long milliseconds) {
                number.incrementAndGet();
            }
        };
    }
}
