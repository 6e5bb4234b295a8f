import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { DEPLOY } from './tools.ts'

/** A service of the stack, as far as the tests look. */
export type Service = Readonly<{
  image: string
  command?: readonly string[]
  environment?: Readonly<Record<string, string>>
  depends_on?: Readonly<Record<string, Readonly<{ condition: string }>>>
  healthcheck?: unknown
  restart?: string
  ports?: readonly string[]
  networks?: readonly string[]
  profiles?: readonly string[]
  container_name?: string
  read_only?: boolean
  build?: unknown
  deploy?: Readonly<{ resources?: Readonly<{ limits?: Readonly<{ memory?: string }> }> }>
}>

const file: { services: Record<string, Service>; networks: Record<string, { internal?: boolean } | null> } = parse(
  readFileSync(`${DEPLOY}compose.yaml`, 'utf8'),
  { merge: true },
)

export const { services, networks } = file

/** One that has to be there. */
export function service(name: string): Service {
  const found = services[name]
  if (found === undefined) throw new Error(`compose.yaml has no service ${name}`)
  return found
}

/** Services that run Tidings for as long as the stack is up. */
export const roles = Object.keys(services).filter((name) => service(name).command?.[0] === 'start')
