export { appendContext } from './append-context.ts'
export { type MessageContentReader, messageContentReader } from './message-content.ts'
export { waitUntilVisible } from './read-your-writes.ts'
