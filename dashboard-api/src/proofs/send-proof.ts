import type { ProofFile } from '@tidings/evidence/proof'
import { unavailable } from '@tidings/http'
import type { FastifyReply } from 'fastify'
import { zipSync } from 'fflate'
import { asDownload } from '../download.ts'
import { sendOfPerson } from '../profiles/send-of-person.ts'

type MadeProof = Readonly<{ files: readonly ProofFile[]; folder: string; known: AbortSignal }>

/** Sends the folder of a proof as a zip. Once `known` aborts, it has somebody in clear who is to be forgotten: made again, it has not. */
export async function sendProof(reply: FastifyReply, { files, folder, known }: MadeProof): Promise<FastifyReply> {
  if (known.aborted) throw unavailable()
  const archive = zipSync(Object.fromEntries(files.map(({ name, bytes }) => [`${folder}/${name}`, bytes])))
  asDownload(reply, { name: `${folder}.zip`, type: 'application/zip' }).header('Content-Length', archive.length)
  return await sendOfPerson(reply, piecesOf(Buffer.from(archive)), known)
}

const PIECE = 65_536

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE)
}
