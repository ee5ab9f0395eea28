package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.TestClock;
import io.policyscheduler.cmd.embedded.admission.AccessControl.ApiUser;
import io.policyscheduler.cmd.embedded.admission.AccessControl.BearerTokens;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.Release;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BearerTokensTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final ResourceCatalog catalog = new ResourceCatalog(Release.V1_34);
    private final ResourceType accounts = catalog.named("serviceaccounts");
    private final StoredObjects store = new StoredObjects(100);
    private final TestClock clock = new TestClock();
    private final BearerTokens tokens = new BearerTokens(store, catalog, clock);

    @BeforeEach
    void createAccount() {
        create("first");
    }

    private void create(String uid) {
        ObjectNode account = Json.object();
        account.putObject("metadata").put("namespace", "ns").put("name", "sa").put("uid", uid);
        store.create(accounts, account, false);
    }

    private String issue() {
        return tokens.issue("ns", "sa", HOUR).orElseThrow().token();
    }

    @Test
    void nameTheirAccount() {
        assertEquals(
                Optional.of(new ApiUser(
                        "system:serviceaccount:ns:sa",
                        "first",
                        List.of("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"))),
                tokens.user(issue()));
        assertEquals(Optional.of(ApiUser.ADMIN), tokens.user(tokens.admin()));
        assertNotEquals(issue(), issue());
        assertEquals(Optional.empty(), tokens.user("anything"));
        assertEquals(Optional.empty(), tokens.issue("ns", "nobody", HOUR));
    }

    @Test
    void endWithTheirTime() {
        String token = issue();
        clock.advance(HOUR.minusMillis(1));
        assertEquals("first", tokens.user(token).orElseThrow().uid());
        clock.advance(Duration.ofMillis(1));
        assertEquals(Optional.empty(), tokens.user(token));
    }

    @Test
    void endWithTheirAccountAlsoWhenAnotherOneHasItsName() {
        String token = issue();
        store.modify(accounts, "ns", "sa", false, present -> null);
        assertEquals(Optional.empty(), tokens.user(token));
        create("second");
        assertEquals(Optional.empty(), tokens.user(token));
        assertEquals("second", tokens.user(issue()).orElseThrow().uid());
    }
}
