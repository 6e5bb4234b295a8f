import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { scaleBand, scaleLinear } from '@visx/scale'
import { BarStack, LinePath } from '@visx/shape'
import { useId, useState } from 'react'
import { useWords } from '../words/words.tsx'
import styles from './chart.module.css'
import { dashOf, Pattern, Sample, seriesClass } from './chart-marks.tsx'
import { namedSteps, ticksOf } from './chart-scale.ts'
import { DataTable } from './data-table.tsx'

type Series = Readonly<{ key: string; name: string; values: readonly number[] }>
/** `steps`: what each step is called. `all`: what the table has beside the series. */
type Props = Readonly<{
  title: string
  kind: 'bars' | 'lines'
  stepName: string
  steps: readonly string[]
  series: readonly Series[]
  more?: readonly Series[]
}>

const HEIGHT = 200
/** Room for the name of the topmost line. */
const HEAD = 16
const FOOT = 20
const SIDE = 48
const LABEL = 72

type Step = Readonly<{ index: number; sums: Record<string, number> }>

/** Bars upon each other, or lines; the same as a table. Time goes from left to right in every language, and the numbers stand where lines of text begin. */
export default function Chart({ title, kind, stepName, steps, series, more = [] }: Props) {
  const { ui } = useWords()
  const [asTable, setAsTable] = useState(false)
  const id = useId().replaceAll(':', '')
  return (
    <section className={styles.chart} aria-label={title}>
      <div className={styles.head}>
        <h2 className={styles.title}>{title}</h2>
        <ul className={styles.legend}>
          {series.map(({ key, name }, index) => (
            <li key={key} className={styles.entry}>
              <Sample kind={kind} index={index} fill={`url(#${id}-${index})`} /> {name}
            </li>
          ))}
        </ul>
        <Button variant="default" size="compact-sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {ui.asTable}
        </Button>
      </div>
      {asTable ? (
        <Numbers title={title} stepName={stepName} steps={steps} series={[...series, ...more]} />
      ) : (
        <Plot title={title} kind={kind} steps={steps} series={series} id={id} />
      )}
    </section>
  )
}

function Numbers({ title, stepName, steps, series }: Omit<Props, 'kind' | 'more'>) {
  const { locale } = useWords()
  const columns = [
    { key: 'step', header: stepName, cell: (index: number) => steps[index] },
    ...series.map(({ key, name, values }) => ({
      key,
      header: name,
      numeric: true,
      cell: (index: number) => (values[index] ?? 0).toLocaleString(locale),
    })),
  ]
  return <DataTable label={title} columns={columns} rows={steps.map((_, index) => index)} rowKey={String} />
}

function Plot({ title, kind, steps, series, id }: Pick<Props, 'title' | 'kind' | 'steps' | 'series'> & Readonly<{ id: string }>) {
  const { direction, locale, ui } = useWords()
  const { ref, width } = useElementSize()
  const isMirrored = direction === 'rtl'
  const data: readonly Step[] = steps.map((_, index) => ({
    index,
    sums: Object.fromEntries(series.map(({ key, values }) => [key, values[index] ?? 0])),
  }))
  const heights = data.map(({ sums }) =>
    kind === 'bars' ? Object.values(sums).reduce((sum, one) => sum + one, 0) : Math.max(0, ...Object.values(sums)),
  )
  const ticks = ticksOf(Math.max(0, ...heights))
  const x = scaleBand({ domain: data.map(({ index }) => index), range: isMirrored ? [0, width - SIDE] : [SIDE, width], padding: 0.2 })
  const y = scaleLinear({ domain: [0, ticks.at(-1) ?? 1], range: [HEIGHT - FOOT, HEAD] })
  const keyed = { x, y, data, series, id }
  return (
    <div ref={ref} className={styles.plot} dir="ltr">
      <svg width={width} height={HEIGHT} role="img" aria-label={ui.chartOf(title, steps.at(0) ?? '', steps.at(-1) ?? '')}>
        <defs>
          {series.map(({ key }, index) => (
            <Pattern key={key} id={`${id}-${index}`} index={index} />
          ))}
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={0} x2={width} y1={y(tick)} y2={y(tick)} />
            <text className={styles.axis} x={isMirrored ? width : 0} y={y(tick) - 3} textAnchor={isMirrored ? 'end' : 'start'}>
              {tick.toLocaleString(locale, { notation: 'compact' })}
            </text>
          </g>
        ))}
        {namedSteps(steps.length, Math.floor((width - SIDE) / LABEL)).map((index) => (
          <text key={index} className={styles.axis} x={x(index) ?? 0} y={HEIGHT - 4}>
            {steps[index]}
          </text>
        ))}
        {kind === 'bars' ? <Bars {...keyed} /> : <Lines {...keyed} />}
      </svg>
    </div>
  )
}

type Drawn = Readonly<{
  x: ReturnType<typeof scaleBand<number>>
  y: ReturnType<typeof scaleLinear<number>>
  data: readonly Step[]
  series: readonly Series[]
  id: string
}>

function Bars({ x, y, data, series, id }: Drawn) {
  return (
    <BarStack
      data={[...data]}
      keys={series.map(({ key }) => key)}
      x={({ index }) => index}
      xScale={x}
      yScale={y}
      value={({ sums }, key) => sums[key] ?? 0}
      color={(key) => String(series.findIndex((one) => one.key === key))}
    >
      {(stacks) =>
        stacks.map((stack) =>
          stack.bars
            .filter(({ height }) => height > 0)
            .map((bar) => (
              <rect
                key={`${stack.key} ${bar.index}`}
                className={seriesClass(stack.index)}
                x={bar.x}
                y={bar.y}
                width={bar.width}
                height={bar.height}
                fill={`url(#${id}-${stack.index})`}
                stroke="currentColor"
                strokeWidth={0.5}
              />
            )),
        )
      }
    </BarStack>
  )
}

function Lines({ x, y, data, series }: Drawn) {
  return series.map(({ key, values }, index) => (
    <g key={key} className={seriesClass(index)}>
      <LinePath
        data={[...data]}
        x={(step) => (x(step.index) ?? 0) + x.bandwidth() / 2}
        y={(step) => y(values[step.index] ?? 0)}
        stroke="currentColor"
        strokeWidth={2}
        strokeDasharray={dashOf(index)}
      />
    </g>
  ))
}
