export { bytesOf, type Manifest, readManifest } from './manifest.ts'
export { pathsIn } from './paths.ts'
export { restoreBackup } from './restore-backup.ts'
export { writeBackup } from './write-backup.ts'
