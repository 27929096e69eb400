// Receives callbacks with ASP.NET Core 8 or newer. Copy ../../verify/csharp/Verify.cs beside this file.
var app = WebApplication.CreateBuilder(args).Build();
string secret = app.Configuration["SECRET"] ?? "";

app.MapPost("/callbacks", async (HttpRequest request) =>
{
    // The signature covers the bytes as they came: no model binding.
    using var body = new MemoryStream();
    await request.Body.CopyToAsync(body);
    string header(string name) => request.Headers[name];
    string problem = Verify.FindStandardWebhookProblem(secret, header, body.ToArray(), DateTimeOffset.UtcNow);
    if (problem != null) return Results.Text(problem, statusCode: 401);
    Console.WriteLine("genuine " + System.Text.Encoding.UTF8.GetString(body.ToArray()));
    return Results.Ok();
});

app.Run();
