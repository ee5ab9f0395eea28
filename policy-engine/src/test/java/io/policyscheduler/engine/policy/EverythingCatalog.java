package io.policyscheduler.engine.policy;

/** A build with every algorithm of v1.17 and none of its own. */
final class EverythingCatalog implements AlgorithmCatalog {
    @Override
    public boolean hasPredicate(String name) {
        return KnownAlgorithms.predicates().contains(name);
    }

    @Override
    public boolean hasPriority(String name) {
        return KnownAlgorithms.priorityWeights().containsKey(name);
    }
}
