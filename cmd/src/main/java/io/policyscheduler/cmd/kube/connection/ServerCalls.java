package io.policyscheduler.cmd.kube.connection;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.HttpCalls;
import java.io.IOException;
import java.io.InputStream;
import okhttp3.Call;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Calls to one server, and their answers as bytes.
 *
 * @param server base URL, without a trailing slash
 */
record ServerCalls(String server, String userAgent) {
    private static final String JSON = "application/json";
    private static final int MAX_BODY = 64 * 1024 * 1024;

    /** Not sent before it is executed. */
    Call call(OkHttpClient http, String method, String path, @Nullable String contentType, byte @Nullable [] body)
            throws ApiIoException {
        return http.newCall(request(method, path, JSON, contentType, body));
    }

    /** A GET that takes an answer of one of these content types. */
    Call get(OkHttpClient http, String path, String accept) throws ApiIoException {
        return http.newCall(request("GET", path, accept, null, null));
    }

    /** Sends a call and reads its answer; any status is one. */
    static ApiResponse answer(Call call, String name) throws ApiIoException {
        try (Response response = execute(call, name)) {
            InputStream in = response.body().byteStream();
            byte[] bytes = in.readNBytes(MAX_BODY);
            if (bytes.length == MAX_BODY && in.read() >= 0) {
                throw new IOException("response longer than " + MAX_BODY + " bytes");
            }
            return ApiResponse.of(response.code(), bytes, response.header("Retry-After"));
        } catch (ApiIoException e) {
            throw e;
        } catch (IOException e) {
            throw transportError(name, e);
        }
    }

    /** Runs a call; credential plug-ins run inside it and throw whatever they like. */
    static Response execute(Call call, String name) throws ApiIoException {
        try {
            return HttpCalls.execute(call);
        } catch (IOException | RuntimeException e) {
            throw transportError(name, e);
        }
    }

    /** How a call is called in messages. */
    static String name(String method, String path) {
        int query = path.indexOf('?');
        return method + " " + (query < 0 ? path : path.substring(0, query));
    }

    private static ApiIoException transportError(String name, Exception e) {
        return new ApiIoException(name + ": " + ApiIoException.describe(e), e);
    }

    private Request request(
            String method, String path, String accept, @Nullable String contentType, byte @Nullable [] body)
            throws ApiIoException {
        try {
            Request.Builder request = new Request.Builder().url(server + path);
            request.header("User-Agent", userAgent);
            request.header("Accept", accept);
            request.header("Accept-Encoding", "identity");
            boolean needsBody = method.equals("POST") || method.equals("PUT") || method.equals("PATCH");
            RequestBody payload = body == null && !needsBody
                    ? null
                    : RequestBody.create(
                            body == null ? new byte[0] : body, contentType == null ? null : MediaType.get(contentType));
            return request.method(method, payload).build();
        } catch (IllegalArgumentException e) {
            throw transportError(name(method, path), e);
        }
    }
}
