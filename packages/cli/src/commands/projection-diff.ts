import { positionText } from '@tidings/event-store'
import { diffProjection, type ProjectionDiff } from '@tidings/projections'
import { knownProjection, sayingRefusals } from '../operator/known-projection.ts'
import { withOperator } from '../operator/with-operator.ts'

type ProjectionDiffOptions = Readonly<{ json: boolean; first: number; values: boolean }>
type TableDiff = ProjectionDiff['tables'][number]
type RowDiff = TableDiff['first'][number]

const SIDES = { live: 'only live', next: 'only next', both: 'differs' } as const

const rowLine = ({ key, in: where, columns, live, next }: RowDiff): string => {
  const values = live === undefined ? '' : `  live ${JSON.stringify(live)}  next ${JSON.stringify(next)}`
  return `  ${Object.values(key).join(' ')}  ${SIDES[where]}${columns.length === 0 ? '' : `: ${columns.join(', ')}`}${values}`
}

const linesOf = ({ table, equal, onlyLive, onlyNext, different, columns, first }: TableDiff): readonly string[] => {
  const uncompared = [...columns.onlyLive.map((name) => `${name} (only live)`), ...columns.onlyNext.map((name) => `${name} (only next)`)]
  return [
    `${table}: ${equal} rows equal, ${different} different, ${onlyLive} only live, ${onlyNext} only next`,
    ...(uncompared.length === 0 ? [] : [`  not compared: ${uncompared.join(', ')}`]),
    ...first.map(rowLine),
  ]
}

const isSame = ({ onlyLive, onlyNext, different }: TableDiff): boolean => onlyLive + onlyNext + different === 0

/** `tidings projection diff NAME`. Exit 0 also where they differ: a new version is meant to. */
export function diff(name: string, { json, first, values }: ProjectionDiffOptions): Promise<void> {
  const projection = knownProjection(name)
  return withOperator(json, async ({ stores }) => {
    const { position, versions, tables } = await sayingRefusals(
      diffProjection({ projection, log: stores.log, pool: stores.workPool, first, values }),
    )
    const same = tables.every(isSame)
    return {
      json: { name, same, position: positionText(position), versions, tables },
      lines: [
        `${name} as of position ${position.commit}: live and next are ${same ? 'the same' : 'not the same'}.`,
        ...tables.flatMap(linesOf),
      ],
    }
  })
}
