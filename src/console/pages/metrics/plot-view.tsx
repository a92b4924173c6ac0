import { useEffect, useRef, useState, type ReactNode } from 'react';
import UPlot from 'uplot';
import { useIsDark } from '../../appearance.js';
import { formatTime } from '../../lib/format.js';
import type { Reading } from '../../api/platform/recent-metrics.js';
import { getValues, type Plot } from './series.js';

const HEIGHT = 170;
/** The width for numbers such as `1,023 MiB`. */
const AXIS_WIDTH = 72;
/** The shortest time on the axis, in seconds. */
const SHOWN_MIN = 60;
/** All plots have the vertical line at the time under the pointer. */
const TOGETHER = 'metrics';
const COLOURS = ['--accent', '--attention', '--hue-2-ink', '--hue-5-ink', '--good', '--bad'] as const;

interface PlotViewProps {
  readonly plot: Plot;
  readonly readings: readonly Reading[];
  /** The time with a vertical line, in milliseconds since 1970. */
  readonly pinnedMs: number | undefined;
  /** Called with the time of the reading that a user clicks. */
  readonly onPin: (timeMs: number) => void;
}

/** Lines over time. A table has the same values, so the plot is one image whose name has its latest values. */
export function PlotView({ plot, readings, pinnedMs, onPin }: PlotViewProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(undefined);
  // The reading under the pointer, in this plot or another one.
  const [pointed, setPointed] = useState<number>();
  // Plots are drawn by script and must be drawn again in other colours.
  const isDark = useIsDark();
  const pin = useRef(pinnedMs);
  const latest = getTexts(plot, readings.slice(-2));
  const shown = pointed === undefined ? undefined : readings[pointed + 1];
  const texts = pointed === undefined ? latest : getTexts(plot, readings.slice(pointed, pointed + 2));
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const chart = new UPlot(getOptions(plot, current, { onPointed: setPointed, onPin, pin }), [[]], current);
    drawn.current = chart;
    const fit = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height: HEIGHT }));
    fit.observe(current);
    return () => {
      fit.disconnect();
      chart.destroy();
    };
  }, [plot, isDark, onPin]);
  useEffect(() => {
    const times = readings.slice(1).map(({ timeMs }) => timeMs / 1_000);
    const lines = plot.lines.map((line) => getValues(line, readings).map((value) => value ?? null));
    drawn.current?.setData([times, ...lines]);
  }, [plot, isDark, onPin, readings]);
  useEffect(() => {
    pin.current = pinnedMs;
    drawn.current?.redraw(false);
  }, [pinnedMs]);
  return (
    <figure className="plot">
      <div ref={place} role="img" aria-label={`${plot.title}: ${latest.join(', ')}`} />
      <figcaption className="row faint">
        {texts.map((one, i) => (
          <span key={i} className={`line-${i % COLOURS.length}`}>
            {one}
          </span>
        ))}
        {shown !== undefined && <time className="end">{formatTime(shown.timeMs)}</time>}
      </figcaption>
    </figure>
  );
}

/** The names of the lines with their values at the second of two readings. */
function getTexts({ lines, format }: Plot, pair: readonly Reading[]): readonly string[] {
  return lines.map((line) => {
    const [value] = getValues(line, pair);
    return `${line.name} ${value === undefined ? '–' : format(value)}`;
  });
}

interface PlotEvents {
  readonly onPointed: (position: number | undefined) => void;
  readonly onPin: (timeMs: number) => void;
  readonly pin: { readonly current: number | undefined };
}

function getOptions(
  { lines, format, steps }: Plot,
  place: HTMLElement,
  { onPointed, onPin, pin }: PlotEvents,
): UPlot.Options {
  const style = getComputedStyle(place);
  // A token has a colour for each theme: only as the colour of an element it is one.
  const colour = (name: string): string => {
    place.style.color = `var(${name})`;
    return style.color;
  };
  const font = `11px ${style.getPropertyValue('--sans')}`;
  const axis = { stroke: colour('--faint'), font, grid: { stroke: colour('--line'), width: 1 } };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: TOGETHER } },
    hooks: {
      setCursor: [({ cursor }) => onPointed(cursor.idx ?? undefined)],
      ready: [
        (chart) =>
          chart.over.addEventListener('click', () => {
            const seconds = chart.data[0][chart.cursor.idx ?? -1];
            if (seconds !== undefined) onPin(seconds * 1_000);
          }),
      ],
      draw: [(chart) => drawPin(chart, pin.current, colour('--text'))],
    },
    scales: {
      x: {
        range: (_chart, min, max) => (Number.isFinite(max) ? [Math.min(min, max - SHOWN_MIN), max] : [0, 1]),
      },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        values: (_chart, splits) => splits.map((seconds) => formatTime(seconds * 1_000)),
        space: 80,
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        values: (_chart, splits) => splits.map(format),
        ...(steps && { incrs: steps }),
      },
    ],
    series: [
      {},
      ...lines.map((_line, i) => ({
        stroke: colour(COLOURS[i % COLOURS.length] ?? '--accent'),
        width: 1.5,
        // One value alone has no line.
        points: { show: (chart: UPlot) => chart.data[0].length === 1 },
      })),
    ],
  };
}

/** Draws the vertical line of a time, unless it is outside of the plot. */
function drawPin(chart: UPlot, pinnedMs: number | undefined, colour: string): void {
  const { ctx, bbox, scales } = chart;
  const { min, max } = scales.x ?? {};
  if (pinnedMs === undefined || min === undefined || max === undefined) return;
  const seconds = pinnedMs / 1_000;
  if (seconds < min || seconds > max) return;
  const x = Math.round(chart.valToPos(seconds, 'x', true));
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
