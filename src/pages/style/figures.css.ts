/** Statistics: totals, the drawn time series, bar lists, tables. */
export const FIGURES = `
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.8rem; margin: 0 0 1.25rem; }
.totals > div { padding: 0.8rem 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: 0.7rem; }
.totals dd { margin: 0; font-size: 1.35rem; font-weight: 700; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.totals dd.text { font-size: 1rem; font-weight: 600; }
.chart { display: block; width: 100%; height: 12rem; }
caption { text-align: left; }
.chart .columns rect { fill: var(--bar); }
.chart .grid line { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.axis { display: flex; justify-content: space-between; font-size: 0.85rem; color: var(--muted); }
.lists { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.25rem; margin: 0 0 1.25rem; }
.lists .card { margin: 0; max-width: none; min-width: 0; width: 100%; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th { font-weight: 600; font-size: 0.85rem; color: var(--muted); }
th, td { padding: 0.3rem 0; text-align: left; vertical-align: bottom; }
th.number, td.number { text-align: right; padding-left: 0.8rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars th.label { width: 99%; font-weight: 400; font-size: inherit; color: inherit; overflow-wrap: anywhere; }
.bars thead td { padding: 0; }
.bars svg { display: block; width: 100%; height: 0.4rem; margin-top: 0.15rem; }
.bars .rest { fill: var(--bar-ground); }
.bars .part { fill: var(--bar); }
.scroll { max-height: 20rem; overflow: auto; }
.scroll th { position: sticky; top: 0; background: var(--surface); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.2rem; margin: 0; }
.facts dt, .facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) {
  .totals { grid-template-columns: repeat(2, 1fr); gap: 0.6rem; }
  .facts { grid-template-columns: 1fr; }
  .facts dd { margin-bottom: 0.5rem; }
}
`;
