import { openLogInThread, type ThreadSource } from '@tidings/codec/log-in-thread'
import { eventDeclarations } from '@tidings/domain'
import { servePart } from '@tidings/projections'
import { projectionNamed } from './start-projectors.ts'

await servePart(async (source, name) => {
  const opened = await openLogInThread(source as ThreadSource, { name: 'tidings-rebuild', declarations: eventDeclarations })
  return { projection: projectionNamed(name), ...opened }
})
