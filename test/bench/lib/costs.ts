import { cpuOf, type Telling } from './telling.ts'

/** `node` and `postgres`: CPU of the service and of its Postgres. */
export type Used = Readonly<{ node: number; postgres: number; statements: number }>

/** The costs so far; CPU in seconds. */
export async function usedBy(telling: Telling): Promise<Used> {
  const [node, postgres] = await cpuOf(telling)
  return { node, postgres, statements: await telling.service.statements() }
}

/** What each of `count` has cost since `before`; CPU in whole µs. */
export async function costs(telling: Telling, before: Used, count: number): Promise<Used> {
  const { node, postgres, statements } = await usedBy(telling)
  const micros = (seconds: number): number => Math.round((seconds * 1e6) / count)
  return {
    node: micros(node - before.node),
    postgres: micros(postgres - before.postgres),
    statements: (statements - before.statements) / count,
  }
}
