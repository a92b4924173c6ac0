import type { ReactNode } from 'react';

const WIDTH = 100;
const HEIGHT = 20;
const GAP = 1;
/** The minimum height of a bar with a value. */
const LOW = 2;

interface SparklineProps {
  /** The description for users who cannot see it. */
  readonly label: string;
  readonly values: readonly number[];
  /** The value of the highest bar. */
  readonly max: number;
}

/** A few bars next to a number. */
export function Sparkline({ label, values, max }: SparklineProps): ReactNode {
  const step = WIDTH / values.length;
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path className="sparkline-base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {values.map((value, i) => {
        const height = value === 0 ? 0 : Math.max(LOW, (value / Math.max(max, 1)) * HEIGHT);
        return (
          height > 0 && (
            <rect
              key={i}
              className="sparkline-bar"
              x={i * step}
              y={HEIGHT - height}
              width={step - GAP}
              height={height}
            />
          )
        );
      })}
    </svg>
  );
}
