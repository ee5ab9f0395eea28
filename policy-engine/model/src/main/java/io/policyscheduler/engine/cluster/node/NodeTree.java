package io.policyscheduler.engine.cluster.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Node names by zone, returned in turn zone by zone. The cursors persist between passes, so a pass right after an addition can
 * contain a node twice and omit another one, as in v1.17. Mirrors {@code pkg/scheduler/internal/cache/node_tree.go}.
 */
public final class NodeTree {
    private static final class Zone {
        final String key;
        final List<String> names = new ArrayList<>();
        /** The same names, for fast lookup. */
        final Set<String> known = new HashSet<>();

        int cursor;

        Zone(String key) {
            this.key = key;
        }
    }

    private final List<Zone> zones = new ArrayList<>();
    private int zoneCursor;
    private int size;
    private boolean repeats;

    public void add(String zoneKey, String name) {
        Zone zone = find(zoneKey);
        if (zone == null) {
            zone = new Zone(zoneKey);
            zones.add(zone);
        }
        if (zone.known.add(name)) {
            zone.names.add(name);
            size++;
        }
    }

    public boolean remove(String zoneKey, String name) {
        Zone zone = find(zoneKey);
        if (zone == null || !zone.known.remove(name)) {
            return false;
        }
        zone.names.remove(name);
        if (zone.names.isEmpty()) {
            zones.remove(zone);
        }
        size--;
        return true;
    }

    /** All names, the first of each zone, then the second of each, and so on: the order of current releases. */
    public List<String> fromTheStart() {
        List<String> names = new ArrayList<>(size);
        for (int i = 0; names.size() < size; i++) {
            for (Zone zone : zones) {
                if (i < zone.names.size()) {
                    names.add(zone.names.get(i));
                }
            }
        }
        return names;
    }

    /** One pass: as many names as there are nodes. */
    public List<String> pass() {
        int[] before = cursors();
        List<String> names = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            names.add(next());
        }
        repeats = Arrays.equals(before, cursors());
        return names;
    }

    /** One pass with each name once: a pass after changes of one of several zones can repeat a name and omit another one. */
    public List<String> completePass() {
        List<String> pass = pass();
        Set<String> names = new LinkedHashSet<>(pass);
        if (names.size() < pass.size()) {
            names.addAll(fromTheStart());
        }
        return List.copyOf(names);
    }

    /**
     * True if the last pass left all cursors unchanged, so that each further pass returns the same names until a node is added or
     * removed. Equal names of two passes alone are not sufficient.
     */
    public boolean repeats() {
        return repeats;
    }

    private int[] cursors() {
        int[] all = new int[zones.size() + 1];
        for (int i = 0; i < zones.size(); i++) {
            all[i] = zones.get(i).cursor;
        }
        all[zones.size()] = zoneCursor;
        return all;
    }

    private String next() {
        int exhausted = 0;
        while (true) {
            if (zoneCursor >= zones.size()) {
                zoneCursor = 0;
            }
            Zone zone = zones.get(zoneCursor++);
            if (zone.cursor < zone.names.size()) {
                return zone.names.get(zone.cursor++);
            }
            if (++exhausted >= zones.size()) {
                zones.forEach(z -> z.cursor = 0);
                zoneCursor = 0;
            }
        }
    }

    private @Nullable Zone find(String zoneKey) {
        for (Zone zone : zones) {
            if (zone.key.equals(zoneKey)) {
                return zone;
            }
        }
        return null;
    }
}
