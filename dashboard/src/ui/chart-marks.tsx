import styles from './chart.module.css'

/** So many series differ to the eye: each has a pattern, or a kind of line, of its own beside its colour. */
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 5'] as const

export function seriesClass(index: number): string {
  return styles[`series${index % DASHES.length}`] ?? ''
}

export function dashOf(index: number): string {
  return DASHES[index % DASHES.length] ?? ''
}

/** The fill of a series: full, hatched either way, dotted or outlined. */
export function Pattern({ id, index }: Readonly<{ id: string; index: number }>) {
  const size = { width: 6, height: 6, patternUnits: 'userSpaceOnUse' } as const
  return (
    <pattern id={id} {...size} className={seriesClass(index)}>
      <rect width={6} height={6} fill="currentColor" fillOpacity={index === 0 ? 1 : 0.25} />
      {index === 1 && <path d="M0 6 6 0" stroke="currentColor" strokeWidth={1.5} />}
      {index === 2 && <path d="M0 0 6 6M0 6 6 0" stroke="currentColor" strokeWidth={1.2} />}
      {index === 3 && <circle cx={3} cy={3} r={1.5} fill="currentColor" />}
      {index === 4 && <path d="M0 3H6" stroke="currentColor" strokeWidth={1.5} />}
    </pattern>
  )
}

export function Sample({ kind, index, fill }: Readonly<{ kind: 'bars' | 'lines'; index: number; fill: string }>) {
  return (
    <svg width={18} height={12} aria-hidden="true" className={seriesClass(index)}>
      {kind === 'bars' ? (
        <rect width={18} height={12} fill={fill} stroke="currentColor" />
      ) : (
        <line x1={0} x2={18} y1={6} y2={6} stroke="currentColor" strokeWidth={2} strokeDasharray={dashOf(index)} />
      )}
    </svg>
  )
}
