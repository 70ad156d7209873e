// Plots as SVG: a line, and stacked bars. They are drawn at their measured width and can be read with the arrow keys.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { csv, download } from "../../lib/csv.js";
import { Table, type Column } from "../../parts/table.js";
import { labelStep, short, stacked, ticks, type Bar } from "./scale.js";

const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 26;
const TOP = 8;

interface FrameProps<T> {
  name: string;
  /** What the value under the cursor is. */
  reading: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  id: (row: T) => string;
  draw: (width: number) => ComponentChildren;
  legend?: ComponentChildren;
}

/** A figure with its table and its file. */
export function Figure<T>({ name, reading, columns, rows, id, draw, legend }: FrameProps<T>) {
  const [isTable, setTable] = useState(false);
  const [width, setWidth] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return undefined;
    }
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  const file = `${name.toLowerCase().replace(/ /g, "-")}.csv`;
  const write = (): void => download(file, csv(columns.map((column) => column.name), rows.map((row) => columns.map(({ text }) => text(row)))));
  return (
    <figure class="card plot" aria-label={name}>
      <div class="page-head">
        <div>
          <h2>{name}</h2>
          <p class="subtitle" aria-live="polite">
            {reading}
          </p>
        </div>
        <div class="actions">
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            Show table
          </button>
          <button type="button" onClick={write}>
            Export CSV
          </button>
        </div>
      </div>
      <div ref={box} class={isTable ? undefined : "canvas"}>
        {width > 0 && !isTable && draw(width)}
      </div>
      {isTable ? <Table name={name} columns={columns} rows={rows} id={id} /> : legend}
    </figure>
  );
}

interface Scale {
  x: (at: number) => number;
  y: (value: number) => number;
  marks: number[];
}

function Axes({ scale: { y, marks }, width, labels, x }: { scale: Scale; width: number; labels: readonly string[]; x: (at: number) => number }) {
  const step = labelStep(labels.length, width - LEFT);
  return (
    <>
      {marks.map((mark) => (
        <g key={mark} class={mark === 0 ? "zero" : "grid-line"}>
          <line x1={LEFT} x2={width} y1={y(mark)} y2={y(mark)} />
          <text x={LEFT - 8} y={y(mark) + 4} text-anchor="end">
            {short(mark)}
          </text>
        </g>
      ))}
      {labels.map((label, at) =>
        at % step === 0 ? (
          <text key={label + at} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </>
  );
}

function scaleOf(values: readonly number[], x: (at: number) => number): Scale {
  const marks = ticks(values);
  const low = marks[0] ?? 0;
  const high = marks.at(-1) ?? 1;
  return { x, marks, y: (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM) };
}

interface LineProps {
  name: string;
  values: readonly number[];
  labels: readonly string[];
  width: number;
  chosen: number;
  choose: (at: number) => void;
}

/** A line whose points are read with the arrow keys or the pointer. */
export function Line({ name, values, labels, width, chosen, choose }: LineProps) {
  const last = Math.max(values.length - 1, 1);
  const x = (at: number): number => LEFT + 6 + (at / last) * (width - LEFT - 12);
  const scale = scaleOf(values, x);
  const points = values.map((value, at) => `${x(at).toFixed(1)},${scale.y(value).toFixed(1)}`);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -values.length, End: values.length }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      choose(Math.min(Math.max(chosen + step, 0), values.length - 1));
    }
  };
  const point = (event: PointerEvent): void => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const at = Math.round(((event.clientX - left - LEFT - 6) / (width - LEFT - 12)) * last);
    choose(Math.min(Math.max(at, 0), values.length - 1));
  };
  const isShown = values[chosen] !== undefined;
  return (
    <svg
      width={width}
      height={HEIGHT}
      tabindex={0}
      role="slider"
      aria-label={`${name}, point`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={values.length - 1}
      aria-valuenow={chosen}
      aria-valuetext={labels[chosen]}
      onKeyDown={move}
      onPointerMove={point}
    >
      <Axes scale={scale} width={width} labels={labels} x={x} />
      {values.length > 0 && (
        <>
          <polygon class="area" points={`${x(0)},${scale.y(0)} ${points.join(" ")} ${x(values.length - 1)},${scale.y(0)}`} />
          <polyline class="line" points={points.join(" ")} />
        </>
      )}
      {isShown && <circle class="point" cx={x(chosen)} cy={scale.y(values[chosen] ?? 0)} r={4.5} />}
    </svg>
  );
}

interface BarsProps {
  name: string;
  groups: readonly { label: string; bars: readonly Bar[] }[];
  width: number;
}

/** Stacked bars, losses below zero. Each bar with a value is a link, or has a tooltip. Arrow keys move between them. */
export function Bars({ name, groups, width }: BarsProps) {
  const slot = (width - LEFT) / Math.max(groups.length, 1);
  const x = (at: number): number => LEFT + (at + 0.5) * slot;
  const sums = groups.flatMap(({ bars }) => [total(bars, 1), total(bars, -1)]);
  const scale = scaleOf(sums, x);
  const thick = Math.min(30, slot * 0.62);
  const svg = useRef<SVGSVGElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const links = [...(svg.current?.querySelectorAll<SVGElement>("[data-bar]") ?? [])];
    const at = links.indexOf(document.activeElement as SVGElement);
    if (step !== undefined && at !== -1) {
      event.preventDefault();
      links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
    }
  };
  return (
    <svg ref={svg} width={width} height={HEIGHT} role="group" aria-label={`${name}, bars`} onKeyDown={move}>
      <Axes scale={scale} width={width} labels={groups.map(({ label }) => label)} x={x} />
      {groups.map(({ label, bars }, at) => (
        <g key={label}>{stacked(bars).map(({ bar, from, to }) => <OneBar key={bar.series} bar={bar} left={x(at) - thick / 2} thick={thick} top={scale.y(to)} bottom={scale.y(from)} />)}</g>
      ))}
    </svg>
  );
}

function OneBar({ bar, left, thick, top, bottom }: { bar: Bar; left: number; thick: number; top: number; bottom: number }) {
  const rect = (
    <rect class={`bar ${bar.series}`} x={left} width={thick} y={Math.min(top, bottom)} height={Math.max(Math.abs(bottom - top), 1)} rx={1.5}>
      <title>{bar.label}</title>
    </rect>
  );
  return bar.href === undefined ? (
    <g role="img" tabindex={0} data-bar aria-label={bar.label}>
      {rect}
    </g>
  ) : (
    <a href={bar.href} data-bar aria-label={bar.label}>
      {rect}
    </a>
  );
}

function total(bars: readonly Bar[], sign: 1 | -1): number {
  return bars.filter(({ value }) => Math.sign(value) === sign).reduce((sum, { value }) => sum + value, 0);
}
