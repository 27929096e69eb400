using System;
using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;

/// <summary>
/// Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings.
/// </summary>
public static class Receiver
{
    private static readonly string Secret = Setting("SECRET");
    private static readonly string WebhookId = Setting("WEBHOOK_ID");
    private static readonly string Bearer = Setting("BEARER");
    private const long MaxBytes = 20971520;

    public static void Main()
    {
        if (Secret == "" && (WebhookId == "" || Bearer == ""))
            throw new ArgumentException("Set SECRET, or WEBHOOK_ID and BEARER.");
        FindProblem(name => null, new byte[0]); // A malformed secret ends the program now.
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

    private static string FindProblem(Func<string, string> header, byte[] body)
    {
        return Secret == ""
            ? Verify.FindSignatureProblem(WebhookId, Bearer, header, body)
            : Verify.FindStandardWebhookProblem(Secret, header, body, DateTimeOffset.UtcNow);
    }

    private static void Receive(HttpListenerRequest request, HttpListenerResponse response)
    {
        // The length is -1 if a proxy sends the body in chunks.
        byte[] body = request.ContentLength64 > MaxBytes ? null : ReadBody(request.InputStream);
        string problem = body == null ? "the body is too large" : FindProblem(name => request.Headers[name], body);
        if (problem == null) Console.WriteLine("genuine " + Encoding.UTF8.GetString(body));
        response.StatusCode = problem == null ? 200 : 401;
        response.ContentType = "text/plain";
        response.Close(Encoding.UTF8.GetBytes(problem ?? ""), false);
    }

    /// <summary>Returns null if the body is too large.</summary>
    private static byte[] ReadBody(Stream stream)
    {
        var body = new MemoryStream();
        var buffer = new byte[65536];
        for (int count; (count = stream.Read(buffer, 0, buffer.Length)) > 0;)
        {
            if (body.Length + count > MaxBytes) return null;
            body.Write(buffer, 0, count);
        }
        return body.ToArray();
    }

    private static string Setting(string name)
    {
        return Environment.GetEnvironmentVariable(name) ?? "";
    }
}
