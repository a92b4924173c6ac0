import type { ReactNode } from 'react';

const WIDTH = 100;
const HEIGHT = 20;
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
  const bars = values.map((value, i) => {
    const height = Math.max(LOW, (value / Math.max(max, 1)) * HEIGHT);
    return value > 0 && <rect key={i} x={i * step} y={HEIGHT - height} width={step - 1} height={height} />;
  });
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {bars}
    </svg>
  );
}
