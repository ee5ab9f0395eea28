package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Term.MathFunction;
import io.policyscheduler.engine.rules.compiler.Term.TextFunction;
import io.policyscheduler.engine.rules.data.QuantityText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.ValueOperations;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import io.policyscheduler.engine.rules.data.ValueOperations.Maybes;
import io.policyscheduler.engine.rules.executor.MvelProgram.MvelRun;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations that the generated text calls. Public only because MVEL calls them. */
public final class MvelOperations {
    private final MvelRun run;

    MvelOperations(MvelRun run) {
        this.run = run;
    }

    public boolean boolPart(int part) {
        return (Boolean) run.part(part);
    }

    public double numberPart(int part) {
        return (Double) run.part(part);
    }

    public @Nullable String stringPart(int part) {
        return (String) run.value(part);
    }

    public boolean letBool(int value, int body) {
        return (Boolean) run.let(value, body);
    }

    public double letNumber(int value, int body) {
        return (Double) run.let(value, body);
    }

    public String letString(int value, int body) {
        return (String) run.let(value, body);
    }

    /** True if one of two parts is true, even if the other one fails. */
    public boolean or(int left, int right) {
        return either(left, right, true);
    }

    /** False if one of two parts is false, even if the other one fails. */
    public boolean and(int left, int right) {
        return either(left, right, false);
    }

    private boolean either(int left, int right, boolean decisive) {
        boolean first;
        try {
            first = boolPart(left);
        } catch (RuntimeException e) {
            RuntimeException failure = MvelRun.failure(e);
            if (failure instanceof RuleFailure && decides(right, decisive)) {
                return decisive;
            }
            throw failure;
        }
        return first == decisive ? decisive : boolPart(right);
    }

    private boolean decides(int side, boolean decisive) {
        try {
            return boolPart(side) == decisive;
        } catch (RuntimeException e) {
            RuntimeException failure = MvelRun.failure(e);
            if (failure instanceof RuleFailure) {
                return false;
            }
            throw failure;
        }
    }

    /** A count without an index. */
    public double walking(int part) {
        return (Double) run.walking(part);
    }

    public double finite(double value) {
        return Arithmetics.finite(value);
    }

    public double divisor(double value) {
        return Arithmetics.divisor(value);
    }

    /** Both have one type; MVEL boxes numbers. */
    public boolean equal(Object left, Object right) {
        return left.equals(right);
    }

    public boolean equalTexts(@Nullable String left, @Nullable String right) {
        return ValueOperations.same(left, right, run.meter());
    }

    public boolean present(@Nullable String text) {
        return text != null;
    }

    public boolean blank(@Nullable String text) {
        return ValueOperations.blank(text, run.meter());
    }

    public String known(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** The value of a part, or of another one if it is blank. */
    public String orElse(int text, int otherwise) {
        @Nullable String first = stringPart(text);
        return first == null || blank(first) ? known(stringPart(otherwise)) : first;
    }

    public String convert(String method, String text) {
        TextFunction function = TextFunction.of(method);
        if (function == null) {
            throw new IllegalStateException("method " + method);
        }
        return function.apply(text, run.meter());
    }

    public double length(String text) {
        return text.length();
    }

    public double calculate(String function, double a, double b) {
        MathFunction known = MathFunction.of(function);
        if (known == null) {
            throw new IllegalStateException("function " + function);
        }
        return known.apply(a, b);
    }

    /** Whether a list of numbers or optional strings contains a value. */
    public boolean among(List<?> list, Object value) {
        for (Object item : list) {
            boolean same = value instanceof String text ? equalTexts((String) item, text) : value.equals(item);
            if (same) {
                return true;
            }
        }
        return false;
    }

    /** Whether the value of a part equals that of one of several consecutive parts. */
    public boolean in(int value, int first, int items, boolean texts) {
        @Nullable Object searched = run.value(value);
        for (int i = first; i < first + items && searched != null; i++) {
            Object item = run.part(i);
            if (texts ? equalTexts((String) searched, (String) item) : equal(searched, item)) {
                return true;
            }
        }
        return false;
    }

    public double numberOr(int text, int otherwise) {
        double value = number(known(stringPart(text)));
        return Double.isNaN(value) ? numberPart(otherwise) : value;
    }

    public double tableNumber(String table, String field, @Nullable String key) {
        return run.table(table).number(key, field);
    }

    public double tableMeasured(String table, String field, @Nullable String key, String amount) {
        return run.node().measured(run.table(table), key, field, PlacedAmount.valueOf(amount));
    }

    public boolean tableBool(String table, String field, @Nullable String key) {
        return run.table(table).number(key, field) == 1;
    }

    public @Nullable String tableText(String table, String field, @Nullable String key) {
        return run.table(table).text(key, field);
    }

    public boolean tableHas(String table, @Nullable String key) {
        return run.table(table).has(key);
    }

    public double tableSize(String table) {
        return run.table(table).size();
    }

    /** Whether an optional number or bool exists. */
    public boolean given(double value) {
        return Maybes.given(value);
    }

    public double knownNumber(double value) {
        return Maybes.number(value);
    }

    public boolean knownBool(double value) {
        return Maybes.bool(value);
    }

    public double amountOr(int value, int otherwise) {
        double first = numberPart(value);
        return Maybes.given(first) ? first : numberPart(otherwise);
    }

    public boolean boolOr(int value, int otherwise) {
        double first = numberPart(value);
        return Maybes.given(first) ? Maybes.bool(first) : boolPart(otherwise);
    }

    public String textOr(int value, int otherwise) {
        @Nullable String first = stringPart(value);
        return first == null ? known(stringPart(otherwise)) : first;
    }

    public boolean contains(String text, String part) {
        return ValueOperations.contains(text, part, run.meter());
    }

    public boolean startsWith(String text, String part) {
        return ValueOperations.startsWith(text, part, run.meter());
    }

    public boolean endsWith(String text, String part) {
        return ValueOperations.endsWith(text, part, run.meter());
    }

    public boolean matches(int pattern, String text) {
        return run.pattern(pattern).matches(text, run.meter());
    }

    public boolean isNumber(String text) {
        return !Double.isNaN(QuantityText.parse(text));
    }

    public double number(String text) {
        return QuantityText.parse(text);
    }

    public double size(List<?> list) {
        return list.size();
    }

    public boolean any(int body, List<?> list) {
        for (Object element : list) {
            if ((Boolean) run.body(body, element)) {
                return true;
            }
        }
        return false;
    }

    public boolean all(int body, List<?> list) {
        for (Object element : list) {
            if (!(Boolean) run.body(body, element)) {
                return false;
            }
        }
        return true;
    }

    public List<?> filter(int body, List<?> list) {
        List<Object> chosen = new ArrayList<>();
        for (Object element : list) {
            if ((Boolean) run.body(body, element)) {
                chosen.add(element);
            }
        }
        return chosen;
    }

    public List<?> map(int body, List<?> list) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Object element : list) {
            values.add(run.bodyValue(body, element));
        }
        return values;
    }

    public double count(int body, List<?> list) {
        long count = 0;
        for (Object element : list) {
            if ((Boolean) run.body(body, element)) {
                count++;
            }
        }
        return count;
    }

    public double sum(int body, List<?> list) {
        double sum = 0;
        for (Object element : list) {
            sum = Arithmetics.finite(sum + (Double) run.body(body, element));
        }
        return sum;
    }

    public double max(int body, List<?> list) {
        double max = 0;
        boolean first = true;
        for (Object element : list) {
            double value = (Double) run.body(body, element);
            if (first || value > max) {
                max = value;
            }
            first = false;
        }
        return max;
    }
}
