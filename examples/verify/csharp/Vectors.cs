using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

/// <summary>Runs ../vectors.json, or the file of the first argument.</summary>
public static class Vectors
{
    // The file has only strings without escapes, so these two patterns read it where there is no JSON parser.
    private const string Vector = @"\{[^{}]*\{[^{}]*\}[^{}]*\}";
    private const string Member = "\"([^\"]+)\": \"([^\"]*)\"";

    public static int Main(string[] args)
    {
        string text = File.ReadAllText(args.Length > 0 ? args[0] : "../vectors.json");
        MatchCollection vectors = Regex.Matches(text, Vector);
        int passed = 0;
        foreach (Match json in vectors)
        {
            var vector = Regex.Matches(json.Value, Member).Cast<Match>()
                .ToDictionary(
                    member => member.Groups[1].Value,
                    member => member.Groups[2].Value,
                    StringComparer.OrdinalIgnoreCase); // as ASP.NET Core's headers
            string expected = vector["expected"], result = ResultOf(vector);
            if (result == expected) passed++;
            else Console.WriteLine("FAILED " + vector["name"] + ": expected " + expected + ", got " + result);
        }
        Console.WriteLine(passed + " of " + vectors.Count + " vectors passed");
        return passed == vectors.Count ? 0 : 1;
    }

    private static string FindProblem(Dictionary<string, string> vector)
    {
        Func<string, string> header = name => vector.ContainsKey(name) ? vector[name] : null;
        byte[] body = Convert.FromBase64String(vector["body_base64"]);
        if (vector["scheme"] == "signature")
            return Verify.FindSignatureProblem(vector["webhook_id"], vector["bearer"], header, body);
        DateTimeOffset now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(vector["now"]));
        return Verify.FindStandardWebhookProblem(vector["secret"], header, body, now);
    }

    private static string ResultOf(Dictionary<string, string> vector)
    {
        try
        {
            string problem = FindProblem(vector);
            if (problem == null) return "genuine";
            return vector.ContainsKey("reason") && vector["reason"] == problem ? "refused" : problem;
        }
        catch (ArgumentException)
        {
            return "error";
        }
    }
}
