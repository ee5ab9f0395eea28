package io.policyscheduler.engine.rules.analysis;

/**
 * How a member is said. In the texts {@code {r}} stands for what has the member, {@code {a}}, {@code {b}} and {@code {c}} for its
 * arguments, {@code {label}} for a label whose key and value are the last arguments.
 *
 * @param form what kind of text it is
 * @param yes of a {@link Form#CLAUSE} the sentence, of a {@link Form#COUNT} what is counted, of a {@link Form#NOUN} what it is
 * @param no of a {@link Form#CLAUSE} the opposite, else empty
 */
record Phrase(Form form, String yes, String no) {
    enum Form {
        /** A sentence that is true or false: "the pod is being deleted". */
        CLAUSE,
        /** What there are so many of: "pods". */
        COUNT,
        /** What a value is: "the zone of the node". */
        NOUN
    }

    static Phrase clause(String yes, String no) {
        return new Phrase(Form.CLAUSE, yes, no);
    }

    static Phrase count(String what) {
        return new Phrase(Form.COUNT, what, "");
    }

    static Phrase noun(String what) {
        return new Phrase(Form.NOUN, what, "");
    }
}
