package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableMap;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Domains with what they hold. One that is not there can be looked up all the same and is empty; it does not show otherwise. */
public final class DomainMap extends AbstractMap<String, Map<String, Object>> {
    private final Map<String, Map<String, Object>> domains;

    /** @param domains by name, those that are there */
    public DomainMap(Map<String, Map<String, Object>> domains) {
        this.domains = domains;
    }

    /** Whether the domain is really there. */
    public boolean has(Object domain) {
        return domains.containsKey(domain);
    }

    @Override
    public Map<String, Object> get(@Nullable Object key) {
        Map<String, Object> domain = key == null ? null : domains.get(key);
        return domain == null ? ImmutableMap.of() : domain;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return key instanceof String;
    }

    @Override
    public Set<Entry<String, Map<String, Object>>> entrySet() {
        return domains.entrySet();
    }
}
