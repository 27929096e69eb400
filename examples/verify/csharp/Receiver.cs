using System;
using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;

/// <summary>
/// Receives callbacks. It answers 200 to genuine ones and 401 to others. See ../README.md for its settings.
/// </summary>
public static class Receiver
{
    private static readonly string Secret = Setting("SECRET");
    private static readonly string WebhookId = Setting("WEBHOOK_ID");
    private static readonly string Bearer = Setting("BEARER");

    public static void Main()
    {
        if (Secret == "" && (WebhookId == "" || Bearer == ""))
            throw new ArgumentException("Set SECRET, or WEBHOOK_ID and BEARER.");
        IsGenuine(name => null, new byte[0]); // A malformed secret ends the program now.
        string port = Setting("PORT") == "" ? "4000" : Setting("PORT");
        var listener = new HttpListener();
        listener.Prefixes.Add("http://*:" + port + "/");
        listener.Start();
        Console.WriteLine("receiving at http://localhost:" + port + "/");
        while (true)
        {
            HttpListenerContext context = listener.GetContext();
            Task.Run(() => Receive(context.Request, context.Response));
        }
    }

    private static bool IsGenuine(Func<string, string> header, byte[] body)
    {
        return Secret == ""
            ? Verify.VerifySignature(WebhookId, Bearer, header, body)
            : Verify.VerifyStandardWebhook(Secret, header, body, DateTimeOffset.UtcNow);
    }

    private static void Receive(HttpListenerRequest request, HttpListenerResponse response)
    {
        // Callbacks have a Content-Length.
        bool isSmall = request.ContentLength64 >= 0 && request.ContentLength64 <= 20971520;
        var body = new MemoryStream();
        if (isSmall) request.InputStream.CopyTo(body);
        bool genuine = isSmall && IsGenuine(name => request.Headers[name], body.ToArray());
        if (genuine) Console.WriteLine("genuine " + Encoding.UTF8.GetString(body.ToArray()));
        response.StatusCode = genuine ? 200 : 401;
        response.Close();
    }

    private static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name) ?? "";
    }
}
