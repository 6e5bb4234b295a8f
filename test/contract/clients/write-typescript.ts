import openapiTypescript, { astToString } from 'openapi-typescript'
import type { OpenApi } from '../openapi.ts'
import { type ClientDocument, type ClientMethod, clientDocument } from './client-document.ts'

const BANNER = '// Written by `npm run snapshots` from the OpenAPI document: do not edit.\n'

const className = (group: string): string => `${group[0]?.toUpperCase()}${group.slice(1)}`

const queryType = ({ operationId }: ClientMethod): string => `Query<'${operationId}'>`

const isQueryRequired = ({ query }: ClientMethod): boolean => query.some(({ required }) => required === true)

/** What a method takes before its options: the ids of its path, then its body or its query. */
const argumentsOf = (method: ClientMethod): readonly string[] => [
  ...method.pathNames.map((name) => `${name}: string`),
  ...(method.body === null ? [] : [`body: models.${method.body}`]),
  ...(method.query.length === 0 ? [] : [`query: ${queryType(method)}${isQueryRequired(method) ? '' : ' = {}'}`]),
]

const optionsOf = ({ takesKey, byConnector }: ClientMethod): string => {
  if (byConnector) return 'options: ConnectorOptions'
  return `options: ${takesKey ? 'WriteOptions' : 'ReadOptions'} = {}`
}

const initOf = ({ pathNames, query, body, takesKey, byConnector }: ClientMethod): string => {
  const params = [...(pathNames.length === 0 ? [] : [`path: { ${pathNames.join(', ')} }`]), ...(query.length === 0 ? [] : ['query'])]
  return [
    ...(params.length === 0 ? [] : [`params: { ${params.join(', ')} }`]),
    ...(body === null ? [] : ['body']),
    takesKey ? `...(await ${byConnector ? 'connectorInit' : 'writeInit'}(options))` : '...readInit(options)',
  ].join(', ')
}

const routeOf = ({ method, path }: ClientMethod): string => `\`${method} ${path.replace('/api/v1', '')}\``

const methodText = (method: ClientMethod): string => {
  const result = method.result === null ? 'void' : `models.${method.result}`
  const call = `this.#api.${method.method}('${method.path}', { ${initOf(method)} })`
  return `  /** ${method.summary}. ${routeOf(method)} */
  async ${method.name}(${[...argumentsOf(method), optionsOf(method)].join(', ')}): Promise<${result}> {
    ${method.result === null ? `await ${call}` : `return dataOf(await ${call})`}
  }
`
}

/** Beside `list`, the records of all its pages. */
const eachText = (
  method: ClientMethod,
): string => `  /** Every record that \`${method.name}\` has, page by page: from \`query.offset\` or \`query.page\` on, \`query.limit\` at a time. */
  each(query: ${queryType(method)} = {}, options: ReadOptions = {}): AsyncGenerator<models.${method.item}> {
    return eachOf((next) => this.${method.name}(next, options), query)
  }
`

const classText = (name: string, about: string, methods: readonly ClientMethod[]): string => `/** ${about} */
export class ${name} {
  readonly #api: Api
  constructor(api: Api) {
    this.#api = api
  }

${methods.map((method) => `${methodText(method)}${method.item === null ? '' : `\n${eachText(method)}`}`).join('\n')}}
`

const resourcesText = ({ methods, groups }: ClientDocument): string => {
  const own = methods.filter(({ group }) => group === null)
  const classes = [...groups].map(([group, about]) =>
    classText(
      className(group),
      about,
      methods.filter((one) => one.group === group),
    ),
  )
  const fields = [...groups.keys()].map((group) => `  readonly ${group}: ${className(group)}\n`).join('')
  const made = [...groups.keys()].map((group) => `    this.${group} = new ${className(group)}(api)\n`).join('')
  return `${BANNER}import { type Api, type ConnectorOptions, connectorInit, dataOf, eachOf, type Query, type ReadOptions, readInit, type WriteOptions, writeInit } from '../call.ts'
import type * as models from './models.ts'

${classes.join('\n')}
/** Every route that a server calls, in groups. */
export class Resources {
  readonly #api: Api
${fields}
  constructor(api: Api) {
    this.#api = api
${made}  }

${own.map(methodText).join('\n')}}
`
}

const modelsText = ({ slim }: ClientDocument): string => {
  const models = Object.entries(slim.components.schemas).filter(([name]) => !name.endsWith('Envelope'))
  const lines = models.map(([name, { description }]) => `/** ${description ?? name} */\nexport type ${name} = Schemas['${name}']`)
  return `${BANNER}import type { components } from './schema.ts'

type Schemas = components['schemas']

${lines.join('\n')}
`
}

const eventNamesText = ({ slim }: ClientDocument): string => {
  const names = Object.keys(slim.webhooks).filter((name) => name !== 'custom')
  return `${BANNER}/** The built-in events that webhooks deliver. */
export const builtInEvents = [
${names.map((name) => `  '${name}',`).join('\n')}
] as const
`
}

/** The generated files of clients/typescript, by their name in \`src/generated\`. */
export async function writeTypescript(api: OpenApi): Promise<Readonly<Record<string, string>>> {
  const document = clientDocument(api)
  // Its own types of documents are looser than ours.
  const schema = astToString(await openapiTypescript(JSON.stringify(document.slim)))
  return {
    'schema.ts': `${BANNER}${schema}`,
    'models.ts': modelsText(document),
    'resources.ts': resourcesText(document),
    'event-names.ts': eventNamesText(document),
  }
}
