using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>Verifies callbacks. Copy this file: it needs no package.</summary>
public static class Verify
{
    /// <summary>The maximum difference between webhook-timestamp and the clock of this machine.</summary>
    private const long ToleranceSeconds = 300;

    /// <summary>
    /// Checks the headers of Standard Webhooks. Returns what is wrong with the callback; null if it is genuine and recent.
    /// Throws ArgumentException if the secret is not the signing secret of a webhook (whsec_…). header returns a header or null, such as
    /// name => request.Headers[name] of ASP.NET Core. rawBody is the body as received.
    /// </summary>
    public static string FindStandardWebhookProblem(string secret, Func<string, string> header, byte[] rawBody, DateTimeOffset now)
    {
        byte[] key = KeyOf(secret);
        string id = header("webhook-id") ?? "", timestamp = header("webhook-timestamp") ?? "";
        string signatures = header("webhook-signature") ?? "";
        if (id == "") return "the webhook-id header is missing";
        if (timestamp == "") return "the webhook-timestamp header is missing";
        if (signatures == "") return "the webhook-signature header is missing";
        if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")) return "the webhook-timestamp header is not a Unix timestamp";
        long age = now.ToUnixTimeSeconds() - long.Parse(timestamp);
        if (age > ToleranceSeconds) return "the webhook-timestamp header is too old";
        if (age < -ToleranceSeconds) return "the webhook-timestamp header is in the future";
        byte[] signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(rawBody).ToArray();
        string expected = "v1," + Convert.ToBase64String(HmacSha256(key, signed));
        // For 24 hours after a new secret was made, there are two signatures.
        bool isGenuine = signatures.Split(' ').Any(signature => IsEqual(signature, expected));
        return isGenuine ? null : "the webhook-signature header is wrong";
    }

    /// <summary>
    /// Checks the headers Authorization and Signature. Returns what is wrong with the callback; null if both are right.
    /// Throws ArgumentException if webhookId or bearer is empty. The key of Signature is the webhook's id, which is not secret: only bearer authenticates the
    /// caller. It is the webhook's secret or, if it has none, the callback token of the account.
    /// </summary>
    public static string FindSignatureProblem(string webhookId, string bearer, Func<string, string> header, byte[] rawBody)
    {
        if (string.IsNullOrEmpty(webhookId) || string.IsNullOrEmpty(bearer))
            throw new ArgumentException("The webhook id or the bearer is empty.");
        byte[] sum = HmacSha256(Encoding.UTF8.GetBytes(webhookId), rawBody);
        string expected = BitConverter.ToString(sum).Replace("-", "").ToLowerInvariant();
        string authorization = header("authorization") ?? "", signature = header("signature") ?? "";
        if (authorization == "") return "the Authorization header is missing";
        if (!IsEqual(authorization, "Bearer " + bearer)) return "the Authorization header is wrong";
        if (signature == "") return "the Signature header is missing";
        return IsEqual(signature, expected) ? null : "the Signature header is wrong";
    }

    private static byte[] KeyOf(string secret)
    {
        string base64 = secret.StartsWith("whsec_", StringComparison.Ordinal) ? secret.Substring(6) : secret;
        if (!Regex.IsMatch(base64, @"\A([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z") || base64 == "")
            throw new ArgumentException("The secret is not whsec_ and base64.");
        return Convert.FromBase64String(base64);
    }

    private static byte[] HmacSha256(byte[] key, byte[] message)
    {
        using (var mac = new HMACSHA256(key)) return mac.ComputeHash(message);
    }

    /// <summary>Compares in constant time. From .NET Core 2.1 on, CryptographicOperations.FixedTimeEquals does the same.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static bool IsEqual(string actual, string expected)
    {
        byte[] a = Encoding.UTF8.GetBytes(actual), b = Encoding.UTF8.GetBytes(expected);
        int difference = a.Length ^ b.Length;
        for (int i = 0; i < a.Length && i < b.Length; i++) difference |= a[i] ^ b[i];
        return difference == 0;
    }
}
