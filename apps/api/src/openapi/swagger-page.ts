/** The page that shows the OpenAPI document with Swagger UI. The API serves the files of Swagger UI under `/docs/`. */
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Ringback API</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

/** The script that starts Swagger UI. It is a separate file, because the page's policy forbids inline scripts. */
export const startScript = (documentPath: string) =>
  `SwaggerUIBundle({ url: ${JSON.stringify(documentPath)}, dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;
