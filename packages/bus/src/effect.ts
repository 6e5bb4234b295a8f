/**
 * What a consumer does about a batch, as one SQL expression: `call`, with the parameters `$1` and so on, answers one value that is never null.
 * `done` gets it once it is committed. `name` is that of the prepared statement.
 */
export type Effect = Readonly<{ name: string; call: string; values: readonly unknown[]; done: (value: unknown) => void }>
