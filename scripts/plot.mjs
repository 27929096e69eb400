// Draws bar charts as SVG, readable on light and dark pages, without a library.

const width = 760;
const left = 210;
const right = 90;
const bar = 16;
const gap = 14;
const colors = ['#3b82f6', '#e08700', '#10a37f', '#a855f7', '#e0457b'];
const style = `text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}
.grid{stroke:#8884}@media (prefers-color-scheme:dark){text{fill:#ccc}}`;

const escape = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const text = (x, y, content, attributes = '') => `<text x="${x}" y="${y}"${attributes}>${escape(content)}</text>`;

/** Formats a number with about three significant digits. */
export function formatNumber(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

/** The ticks of an axis: about five round numbers, the last at least the highest value. */
export function ticksFor(highest) {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Draws horizontal bars: a group for each label with a bar for each series. A missing value has no bar. */
export function drawBars({ title, unit, series, groups }) {
  const allValues = groups.flatMap((group) => group.values).filter(Number.isFinite);
  const ticks = ticksFor(Math.max(0, ...allValues));
  const scale = (value) => (value / ticks.at(-1)) * (width - left - right);
  const top = series.length > 1 ? 62 : 40;
  const groupHeight = series.length * bar + gap;
  const bottom = top + groups.length * groupHeight;
  const parts = [text(12, 22, title, ' class="title"')];
  if (series.length > 1) parts.push(...series.flatMap((name, index) => legend(name, index)));
  for (const tick of ticks) {
    const x = (left + scale(tick)).toFixed(1);
    parts.push(`<line class="grid" x1="${x}" x2="${x}" y1="${top - 6}" y2="${bottom}"/>`);
    parts.push(text(x, bottom + 16, formatNumber(tick), ' text-anchor="middle"'));
  }
  groups.forEach(({ label, values }, index) => {
    const y = top + index * groupHeight;
    parts.push(text(left - 8, y + (series.length * bar) / 2 + 4, label, ' text-anchor="end"'));
    values.forEach((value, seriesIndex) => {
      if (!Number.isFinite(value)) return;
      const [at, length] = [y + seriesIndex * bar, Math.max(1, scale(value))];
      const fill = colors[seriesIndex % colors.length];
      parts.push(
        `<rect x="${left}" y="${at + 1}" width="${length.toFixed(1)}" height="${bar - 3}" rx="2" fill="${fill}"/>`,
      );
      parts.push(text((left + length + 5).toFixed(1), at + bar - 4, formatNumber(value)));
    });
  });
  parts.push(text(left + (width - left - right) / 2, bottom + 34, unit, ' text-anchor="middle"'));
  const height = bottom + 46;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title).replace(/"/g, '&quot;')}">
<style>${style}</style>
${parts.join('\n')}
</svg>
`;
}

function legend(name, index) {
  const x = 14 + index * 130;
  return [
    `<rect x="${x}" y="34" width="11" height="11" rx="2" fill="${colors[index % colors.length]}"/>`,
    text(x + 16, 44, name),
  ];
}
