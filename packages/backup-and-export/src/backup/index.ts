export { bytesOf, type Manifest, readManifest } from './manifest.ts'
export { places } from './places.ts'
export { restoreBackup } from './restore-backup.ts'
export { writeBackup } from './write-backup.ts'
