import { createHash } from 'node:crypto'

/** The lease of a projection: its owner is a random id that no login but the service's can read. */
export type Owner = Readonly<{ owner: string; epoch: bigint }>

/**
 * The SQL of a notification, from the SQL of its parts. Any login of the database may notify the channel, an analyst's too, and commands and decisions
 * believe the position that they hear (M44): so it ends in a digest that only a process which reads the lease can make.
 */
export function noticeSql(projection: string, commit: string, prepare: string): string {
  const said = `concat_ws(' ', ${projection}, ${commit}, ${prepare})`
  return `concat_ws(' ', ${said}, (select encode(sha256(convert_to(concat_ws(' ', l.owner, l.epoch, ${said}), 'UTF8')), 'hex')
    from ops.projection_lease l where l.projection = ${projection}))`
}

const NOTICE = /^(?<said>(?<projection>\S+) (?<commit>-?\d{1,19}) (?<prepare>-?\d{1,19})) (?<seal>[0-9a-f]{64})$/

export type Notice = Readonly<{ projection: string; position: Readonly<{ commit: bigint; prepare: bigint }> }>

/** Answers null for what is no notification, or none that the owner sealed. */
export function readNotice(payload: string, ownerOf: (projection: string) => Owner | null): Notice | null {
  const { said, projection, commit, prepare, seal } = NOTICE.exec(payload)?.groups ?? {}
  if (said === undefined || projection === undefined || commit === undefined || prepare === undefined) return null
  const owner = ownerOf(projection)
  if (owner === null || seal !== sealOf(owner, said)) return null
  return { projection, position: { commit: BigInt(commit), prepare: BigInt(prepare) } }
}

function sealOf({ owner, epoch }: Owner, said: string): string {
  return createHash('sha256').update(`${owner} ${epoch} ${said}`).digest('hex')
}
