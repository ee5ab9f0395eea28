package io.policyscheduler.tests.page;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.policyscheduler.tests.e2e.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementNotInteractableException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Headless Chromium, with the requests and console messages of its pages. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts it, or skips the test if it is missing. */
    static Browser start() {
        Optional<Path> chromium = program("chromium");
        Optional<Path> chromedriver = program("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "no chromium and chromedriver on this machine (Debian has them in chromium-driver)");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.orElseThrow().toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.orElseThrow().toFile())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Optional<Path> program(String name) {
        for (String folder :
                Splitter.on(File.pathSeparatorChar).split(System.getenv().getOrDefault("PATH", ""))) {
            Path file = Path.of(folder, name);
            if (Files.isExecutable(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** Resets window size and color scheme, and clears requests and messages. */
    void desktop() {
        resize(1280, 900);
        prefer("light");
        console();
        requests();
    }

    /** Sets the size of the window. */
    void resize(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Sets the preferred color scheme: {@code light} or {@code dark}. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void open(String url) {
        // A change of the fragment alone would not load the page.
        driver.get("about:blank");
        driver.get(url);
    }

    String url() {
        return String.valueOf(driver.getCurrentUrl());
    }

    /** Waits until the main part contains a text. */
    void awaitText(String text) {
        awaitTrue("return document.getElementById('main').innerText.includes(arguments[0])", text);
    }

    /** Waits until a script returns true. */
    void awaitTrue(String script, Object... arguments) {
        Await.until(
                PATIENCE,
                script + " " + List.of(arguments),
                () -> Boolean.TRUE.equals(driver.executeScript(script, arguments)),
                () -> url() + " shows " + text() + "; console: " + console());
    }

    /** Returns the visible text of the page. */
    String text() {
        return driver.findElement(By.tagName("body")).getText();
    }

    /** Returns the result of a script. */
    String ask(String script) {
        return String.valueOf(driver.executeScript(script));
    }

    /** Returns the elements without a name for screen readers, as a JSON list. */
    String nameless() {
        return ask("""
                return JSON.stringify([...document.querySelectorAll('a, button, input, select, canvas[tabindex], summary, svg, [role=region], [role=img]')]
                  .filter(one => !one.hidden && !(one.getAttribute('aria-label') || one.closest('label') || one.textContent.trim()))
                  .map(one => one.outerHTML))""");
    }

    /** Returns the text of an element. */
    String textOf(String selector) {
        StringBuilder text = new StringBuilder();
        on(selector, element -> text.append(element.getText()));
        return text.toString();
    }

    void click(String selector) {
        on(selector, WebElement::click);
    }

    void type(String selector, CharSequence... keys) {
        on(selector, element -> element.sendKeys(keys));
    }

    /** Selects an entry of a list. */
    void choose(String selector, String text) {
        on(
                selector,
                element -> element.findElements(By.tagName("option")).stream()
                        .filter(option -> option.getText().equals(text))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(selector + " has no " + text))
                        .click());
    }

    /** The page may replace the element at any moment. */
    private void on(String selector, Consumer<WebElement> use) {
        Await.until(
                PATIENCE,
                selector + " stays where it is",
                () -> {
                    try {
                        use.accept(driver.findElement(By.cssSelector(selector)));
                        return true;
                    } catch (StaleElementReferenceException e) {
                        return false;
                    }
                },
                this::text);
    }

    /** Presses keys on the focused element. A list that is drawn again moves the focus to the new element with the same meaning. */
    void press(CharSequence... keys) {
        Await.until(
                PATIENCE,
                "the focus stays where it is",
                () -> {
                    try {
                        driver.switchTo().activeElement().sendKeys(keys);
                        return true;
                    } catch (StaleElementReferenceException | ElementNotInteractableException e) {
                        return false;
                    }
                },
                this::text);
    }

    /** Presses the tab key until an element that matches the selector has the focus. */
    void tabTo(String selector) {
        for (int i = 0; i < 60; i++) {
            new Actions(driver).sendKeys(Keys.TAB).perform();
            if (Boolean.TRUE.equals(
                    driver.executeScript("return document.activeElement.matches(arguments[0])", selector))) {
                return;
            }
        }
        throw new AssertionError("the tab key does not lead to " + selector + " in " + url());
    }

    /** Returns the console messages since the last call. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::toString)
                .toList();
    }

    /** Returns the requested addresses since the last call. */
    List<String> requests() {
        List<String> urls = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = json(entry.getMessage()).path("message");
            if (message.path("method").asText().equals("Network.requestWillBeSent")) {
                urls.add(message.at("/params/request/url").asText());
            }
        }
        return urls;
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Saves a screenshot. */
    void picture(Path file) {
        try {
            Files.createDirectories(file.getParent());
            Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
