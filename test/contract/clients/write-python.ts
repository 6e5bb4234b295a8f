import type { OpenApi, Schema } from '../openapi.ts'
import { type ClientDocument, type ClientMethod, clientDocument } from './client-document.ts'

const BANNER = '# Written by `npm run snapshots` from the OpenAPI document: do not edit.\n'

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const className = (group: string): string => `${group[0]?.toUpperCase()}${group.slice(1)}`
const texts = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ')

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
}

/** The type of a value. A text with a few values is a `Literal`. */
const typeOf = ({ $ref, enum: values, type, items, anyOf }: Schema): string => {
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? ''
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
  if (values?.every((value) => typeof value === 'string')) return `Literal[${texts(values)}]`
  if (type === 'array') return `list[${items === undefined ? 'Any' : typeOf(items)}]`
  return (
    [type ?? []]
      .flat()
      .map((one) => SIMPLE[one] ?? 'Any')
      .join(' | ') || 'Any'
  )
}

const sentence = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")

const fieldText = (key: string, schema: Schema, required: ReadonlySet<string>): string =>
  `    ${key}: ${required.has(key) ? typeOf(schema) : `NotRequired[${typeOf(schema)}]`}\n    """${sentence(schema.description ?? key)}"""\n`

const schemaText = (name: string, schema: Schema): string => {
  const { properties, required = [], description = name } = schema
  if (properties === undefined)
    return `${name}: TypeAlias = ${JSON.stringify(typeOf(schema)).replaceAll('\\"', "'")}\n"""${sentence(description)}"""\n`
  const fields = Object.entries(properties).map(([key, property]) => fieldText(key, property, new Set(required)))
  return `class ${name}(TypedDict):\n    """${sentence(description)}"""\n\n${fields.join('\n')}`
}

const deliveryOf = (api: OpenApi, event: string): string =>
  api.webhooks[event]?.post.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? ''

const typesText = ({ slim }: ClientDocument): string => {
  const schemas = Object.entries(slim.components.schemas).filter(([name]) => !name.endsWith('Envelope'))
  const events = Object.keys(slim.webhooks).filter((name) => name !== 'custom')
  const deliveries = [...new Set(events.map((event) => deliveryOf(slim, event)))]
  return `${BANNER}from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

${schemas.map(([name, schema]) => schemaText(name, schema)).join('\n\n')}

BuiltInEvent: TypeAlias = ${deliveries.map((name) => `${name}`).join(' | ')}
"""What is delivered for an event of the catalogue: its \`data\` follows from \`event\`."""

WebhookEvent: TypeAlias = BuiltInEvent | ${deliveryOf(slim, 'custom')}
"""What an endpoint receives."""

BUILT_IN_EVENTS: Final = frozenset((
${events.map((event) => `    "${event}",\n`).join('')}))
"""The events of the catalogue."""
`
}

const RESERVED = new Set(['from', 'in', 'is', 'not', 'and', 'or', 'class', 'def', 'import', 'global', 'lambda', 'None'])
/** A name of Python: none of its keywords. */
const attribute = (name: string): string => (RESERVED.has(name) ? `${snake(name)}_` : snake(name))

type Kind = Readonly<{ isAsync: boolean }>

const queryParameters = ({ query }: ClientMethod): readonly string[] =>
  query.map(({ name, required, schema }) => {
    // In a class with a method `list`, `list[…]` is that method.
    const type = typeOf(schema).replace(/^list\[/, 'Sequence[')
    return `${attribute(name)}: ${required ? type : `${type} | None = None`}`
  })

const parametersText = (method: ClientMethod, isEach = false): string => {
  const { pathNames, body, takesKey, byConnector } = method
  const named = [
    ...queryParameters(method),
    ...(byConnector ? ['connector_secret: str'] : []),
    ...(takesKey ? ['idempotency_key: str | None = None'] : []),
    'headers: Mapping[str, str] | None = None',
  ]
  const positional = isEach ? [] : [...pathNames.map((name) => `${attribute(name)}: str`), ...(body === null ? [] : [`body: ${body}`])]
  return ['self', ...positional, '*', ...named].join(', ')
}

const queryText = ({ query }: ClientMethod): string => `{${query.map(({ name }) => `"${name}": ${attribute(name)}`).join(', ')}}`

const requestArguments = (method: ClientMethod): string => {
  const { path, pathNames, query, body, takesKey, byConnector } = method
  const template = path.replaceAll(/\{\w+\}/g, '{}')
  const where = pathNames.length === 0 ? `"${path}"` : `path_of("${template}", ${pathNames.map(attribute).join(', ')})`
  return [
    `"${method.method}"`,
    where,
    ...(query.length > 0 ? [`query=${queryText(method)}`] : []),
    ...(body === null ? [] : ['body=body']),
    ...(takesKey ? ['takes_key=True', 'idempotency_key=idempotency_key'] : []),
    byConnector ? 'headers={**(headers or {}), "X-Connector-Secret": connector_secret}' : 'headers=headers',
  ].join(', ')
}

const methodText = (method: ClientMethod, { isAsync }: Kind): string => {
  const { name, result, summary, path } = method
  const request = `${isAsync ? 'await ' : ''}self._request(${requestArguments(method)})`
  return `    ${isAsync ? 'async ' : ''}def ${attribute(name)}(${parametersText(method)}) -> ${result ?? 'None'}:
        """${summary}. \`${method.method} ${path.replace('/api/v1', '')}\`"""
        ${result === null ? request : `return cast(${result}, ${request})`}
`
}

const eachText = (method: ClientMethod, { isAsync }: Kind): string => {
  const given = method.query.map(({ name }) =>
    name === 'offset' ? 'offset=offset if at is None else at' : `${attribute(name)}=${attribute(name)}`,
  )
  const iterator = isAsync ? 'AsyncIterator' : 'Iterator'
  return `    def each(${parametersText(method, true)}) -> ${iterator}[${method.item}]:
        """Every record that \`list\` has, page by page, \`limit\` at a time."""
        return ${isAsync ? 'each_of_async' : 'each_of'}(lambda at: self.list(${given.join(', ')}, headers=headers))
`
}

const classText = (name: string, about: string, methods: readonly ClientMethod[], kind: Kind): string => {
  const request = kind.isAsync ? 'Callable[..., Awaitable[Any]]' : 'Callable[..., Any]'
  const parts = methods.flatMap((method) => [methodText(method, kind), ...(method.item === null ? [] : [eachText(method, kind)])])
  return `class ${name}:\n    """${about}"""\n\n    def __init__(self, request: ${request}) -> None:\n        self._request = request\n\n${parts.join('\n')}`
}

const resourcesText = ({ methods, groups }: ClientDocument, kind: Kind): string => {
  const prefix = kind.isAsync ? 'Async' : ''
  const classes = [...groups].map(([group, about]) =>
    classText(
      `${prefix}${className(group)}`,
      about,
      methods.filter((one) => one.group === group),
      kind,
    ),
  )
  const own = methods.filter(({ group }) => group === null)
  const made = [...groups.keys()].map((group) => `        self.${snake(group)} = ${prefix}${className(group)}(request)\n`)
  const request = kind.isAsync ? 'Callable[..., Awaitable[Any]]' : 'Callable[..., Any]'
  const iterators = kind.isAsync ? 'AsyncIterator, Awaitable, Callable, Mapping, Sequence' : 'Callable, Iterator, Mapping, Sequence'
  const names = [
    ...new Set(
      methods.flatMap(({ body, result, item, query }) => [
        body,
        result,
        item,
        ...query.map(({ schema }) => schema.$ref?.split('/').at(-1) ?? null),
      ]),
    ),
  ]
  return `${BANNER}from __future__ import annotations

from collections.abc import ${iterators}
from typing import Any, Literal, cast

from .._pages import ${kind.isAsync ? 'each_of_async' : 'each_of'}
from .._request import path_of
from .types import (
${names
  .filter((name) => name !== null)
  .toSorted()
  .map((name) => `    ${name},\n`)
  .join('')})


${classes.join('\n\n')}

class ${prefix}Resources:
    """Every route that a server calls, in groups."""

    def __init__(self, request: ${request}) -> None:
        self._own_request = request
${made.join('')}
${own.map((method) => methodText(method, kind).replaceAll('self._request', 'self._own_request')).join('\n')}`
}

/** The generated files of clients/python, by their name in \`src/tidings/_generated\`. */
export function writePython(api: OpenApi): Readonly<Record<string, string>> {
  const document = clientDocument(api)
  return {
    'types.py': typesText(document),
    'resources.py': resourcesText(document, { isAsync: false }),
    'async_resources.py': resourcesText(document, { isAsync: true }),
  }
}
