package io.policyscheduler.engine.policy;

/** Says which algorithms this program really contains, by their name in a Policy. */
public interface AlgorithmCatalog {
    boolean hasPredicate(String name);

    boolean hasPriority(String name);
}
