import type { EventDeclaration, EventDeclarations } from '@tidings/domain'

export type StoredData = Readonly<Record<string, unknown>>

/**
 * One step of a type's schema, from version `from` to the next: pure, total, never changed.
 * `personal` names the encrypted fields of version `from`: they are null where the subject was erased, and `upcast` must accept that.
 */
export type Upcaster = Readonly<{ type: string; from: number; personal?: readonly string[]; upcast: (data: StoredData) => StoredData }>

/** Brings one type from the version it was stored under to today's. */
export type UpcastPath = Readonly<{
  version: number
  /** Null for personal fields that cannot be read, before the steps. */
  erased: (data: StoredData, from: number) => StoredData
  /** `data` itself where `from` is today's version. */
  upcast: (data: StoredData, from: number) => StoredData
  /** The personal fields that end earlier than their subject; undefined where there are none. */
  ending: Ending | undefined
}>

type Ending = NonNullable<EventDeclaration['personal']>['ending']

const nulls = (fields: readonly string[]): StoredData => Object.fromEntries(fields.map((field) => [field, null]))

const pathOf = ({ version, personal }: EventDeclaration, steps: readonly Upcaster[]): UpcastPath => {
  const blank = [...steps.map((step) => nulls(step.personal ?? [])), nulls(personal?.fields ?? [])]
  return {
    version,
    ending: personal?.ending,
    upcast: (data, from) => steps.slice(from - 1).reduce((current, step) => step.upcast(current), data),
    erased: (data, from) => {
      const today = steps.slice(from - 1).reduce((current, step) => step.upcast(current), { ...data, ...blank[from - 1] })
      return { ...today, ...blank.at(-1) }
    },
  }
}

const faultsOf = (declarations: EventDeclarations, upcasters: readonly Upcaster[]): string[] => {
  const faults: string[] = []
  for (const [type, { version }] of Object.entries(declarations)) {
    const steps = upcasters.filter((step) => step.type === type).map(({ from }) => from)
    for (let from = 1; from < version; from++) {
      const count = steps.filter((step) => step === from).length
      if (count !== 1) faults.push(`${type} has ${count} steps from version ${from}`)
    }
    for (const from of steps)
      if (!(from >= 1 && from < version)) faults.push(`${type} has a step from version ${from}, and today is ${version}`)
  }
  for (const { type } of upcasters) if (!Object.hasOwn(declarations, type)) faults.push(`${type} is not declared`)
  return faults
}

/** The paths of every declared type. Throws at start where a chain does not lead from version 1 to today's in single steps. */
export function upcastPaths(declarations: EventDeclarations, upcasters: readonly Upcaster[]): ReadonlyMap<string, UpcastPath> {
  const faults = faultsOf(declarations, upcasters)
  if (faults.length > 0) throw new Error(`the upcasters do not fit the declared events: ${faults.join('; ')}`)
  return new Map(
    Object.entries(declarations).map(([type, declaration]) => {
      const steps = upcasters.filter((step) => step.type === type).sort((a, b) => a.from - b.from)
      return [type, pathOf(declaration, steps)]
    }),
  )
}
