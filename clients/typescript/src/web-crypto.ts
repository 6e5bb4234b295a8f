/** The Web Cryptography of the runtime. Node.js 18 has it in a module, not as a global. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  if (globalThis.crypto !== undefined) return globalThis.crypto
  // The name stands in a variable so that bundlers for other runtimes do not look for it.
  const name: string = 'node:crypto'
  return (await import(/* @vite-ignore */ name)).webcrypto
}
