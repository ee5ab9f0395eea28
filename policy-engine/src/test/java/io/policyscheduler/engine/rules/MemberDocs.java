package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.data.RuleType;

/** Generates the documentation of members. */
public final class MemberDocs {
    private MemberDocs() {}

    /** One Markdown table for each type, in the order of {@link Members#types()}. */
    public static String markdown() {
        StringBuilder text = new StringBuilder();
        for (RuleType type : Members.types()) {
            text.append(text.isEmpty() ? "" : "\n")
                    .append("### ")
                    .append(type.label())
                    .append("\n\n");
            text.append("| member | type | unit | meaning | reads | example |\n|---|---|---|---|---|---|\n");
            for (Member member : Members.of(type)) {
                text.append("| `")
                        .append(member.signature())
                        .append("` | ")
                        .append(member.result().label());
                text.append(" | ").append(member.unit()).append(" | ").append(member.text());
                text.append(" | ").append(member.reads());
                text.append(" | `").append(member.example()).append("` |\n");
            }
        }
        return text.toString();
    }
}
