import type { DescribedOperation, Document, Parameter } from './document.js';
import { Html, html, inline, prose } from './html.js';
import type { JsonSchema } from './schemas.js';
import { style } from './style.js';

// To the byte what the policy of the page has the hash of.
const styleElement = new Html(`<style>${style}</style>`);

type Place = { method: string; path: string; operation: DescribedOperation };

/** The document as one page for people, which needs no script and nothing from elsewhere. */
export function renderPage(document: Document, documentUrl: string): string {
  const { info, servers, paths, tags, components } = document;
  const base = servers[0]?.url ?? '';
  const places = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => ({ method, path, operation })),
  );
  const ofTag = (tag: string) => places.filter(({ operation }) => operation.tags.includes(tag));
  const named = Object.entries(components.schemas).filter(([name]) => !(name in components.responses));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title}</title>
        ${styleElement}
      </head>
      <body>
        <nav>
          ${tags.map(({ name }) => [html`<h2>${name}</h2>`, ofTag(name).map(link)])}
          <h2>Schemas</h2>
          ${named.map(([name]) => html`<a href="#${name}">${name}</a>`)}<a href="#errors">Errors</a>
        </nav>
        <main>
          <h1>${info.title} <small>${info.version}</small></h1>
          ${prose(info.description)}
          <p>
            Paths are below <code>${base}</code>, but those under Service that say otherwise. For programs:
            <a href="${documentUrl}">openapi.json</a> (OpenAPI ${document.openapi}).
          </p>
          ${tags.map(({ name }) => [html`<h2>${name}</h2>`, ofTag(name).map((place) => section(place, base))])}
          <h2>Schemas</h2>
          ${named.map(([name, schema]) => [html`<h3 id="${name}">${name}</h3>`, fields(schema)])}
          <h2 id="errors">Errors</h2>
          ${errors(document)}
        </main>
      </body>
    </html> `.text;
}

const link = ({ operation }: Place) => html`<a href="#${operation.operationId}">${operation.summary}</a>`;

function section({ method, path, operation }: Place, base: string): Html {
  const { operationId, summary, description, parameters, requestBody, responses, security, servers } = operation;
  const server = servers?.[0]?.url ?? base;
  const body = requestBody?.content['application/json'];
  const [code = '', success] = Object.entries(responses).find(([status]) => status < '300') ?? [];
  const [[type, answer] = ['', undefined]] = Object.entries(success?.content ?? {});
  const [scope] = security.flatMap((schemes) => schemes.account ?? []);
  const others = Object.keys(responses).filter((status) => status !== code);
  return html`<section id="${operationId}">
    <h3>${summary}</h3>
    <p class="call"><b class="${method}">${method.toUpperCase()}</b> <code>${servers ? server : ''}${path}</code></p>
    ${scope === undefined ? [] : html`<p>Scope: <code>${scope}</code></p>`}
    ${description === undefined ? [] : prose(description)}
    ${parameters.length === 0 ? [] : [html`<h4>Parameters</h4>`, rows(parameters.map(parameterRow))]}
    ${body === undefined ? [] : [html`<h4>Body</h4>`, fields(body.schema)]}
    <h4>Example</h4>
    <pre>${curlOf({ method, path, operation }, server)}</pre>
    <p>${code} <code>${type}</code></p>
    ${answer?.example === undefined ? [] : html`<pre>${pretty(answer.example)}</pre>`}
    <p>Errors: ${others.map((status) => html`<a href="#errors">${status}</a> `)}</p>
  </section> `;
}

const rows = (lines: Html[]) =>
  html`<table>
    ${lines}
  </table>`;

const row = (name: string, { type, required, about }: { type: Html; required: boolean; about: string }) =>
  html`<tr>
    <td><code>${name}</code>${required ? html`<b title="required">*</b>` : ''}</td>
    <td>${type}</td>
    <td>${inline(about)}</td>
  </tr>`;

const parameterRow = ({ name, in: place, required, schema, description = '' }: Parameter) =>
  row(name, { type: html`${typeOf(schema)} in ${place}`, required, about: description });

/** A row for each property; for what is no object with properties, its type. */
function fields(schema: JsonSchema): Html {
  const { properties, required } = schema;
  if (!isSchema(properties)) return html`<p>${typeOf(schema)}</p>`;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const lines = Object.entries(properties)
    .filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    .map(([name, property]) => {
      const about = typeof property.description === 'string' ? property.description : '';
      return row(name, { type: typeOf(property), required: isRequired(name), about });
    });
  return rows(lines);
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The type in a few words, with a link where it has a name. */
function typeOf({ $ref, anyOf, enum: choices, const: only, items, type, format }: JsonSchema): Html {
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#${name}">${name}</a>`;
  }
  if (Array.isArray(anyOf)) return joined(anyOf.filter(isSchema).map(typeOf));
  if (Array.isArray(choices)) return joined(choices.map((choice) => html`<code>${JSON.stringify(choice)}</code>`));
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (isSchema(items)) return html`array of ${typeOf(items)}`;
  if (Array.isArray(type)) return joined(type.map((one) => html`${String(one)}`));
  return html`${typeof format === 'string' ? format : typeof type === 'string' ? type : 'anything'}`;
}

const joined = (parts: Html[]) => html`${parts.map((part, index) => (index === 0 ? part : html` or ${part}`))}`;

function errors({ components }: Document): Html {
  const lines = Object.entries(components.responses).map(
    ([name, { description = '' }]) =>
      html`<tr id="${name}">
        <td><code>${name}</code></td>
        <td>${inline(description)}</td>
      </tr>`,
  );
  return html`<table>
    ${lines}
  </table>`;
}

/** The example as a command for a POSIX shell. */
function curlOf({ method, path, operation }: Place, server: string): string {
  const { parameters, requestBody, security } = operation;
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place && 'example' in parameter);
  const filled = of('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = new URLSearchParams(
    of('query').map(({ name, example }): [string, string] => [name, String(example)]),
  ).toString();
  const [token] = security.map((schemes) => ('platform' in schemes ? 'PLATFORM_TOKEN' : 'ACCESS_TOKEN'));
  const parts = [
    `curl -sS -X ${method.toUpperCase()} ${quoted(`${server}${filled}${query && `?${query}`}`)}`,
    ...(token === undefined ? [] : [`-H 'Authorization: Bearer ${token}'`]),
    ...(requestBody === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d ${quoted(JSON.stringify(requestBody.content['application/json'].example))}`,
        ]),
  ];
  return parts.join(' \\\n  ');
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
