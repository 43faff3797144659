/**
 * Builds the container image as an OCI archive, without a daemon. It has one layer with the executable, its shared
 * libraries and CA certificates. It doesn't contain a shell or a package manager.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { releaseVersion } from '../release-settings.ts';
import { gzip, normalize, tar } from './archive.ts';
import { run } from './run.ts';

/** The Debian packages that the files come from. */
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'];

/** The IDs of the user and the group, as in other images without a shell. */
const user = '65532:65532';

/** The folder of the user's files, and the working folder. */
const home = '/data';

/** The path at which programs look for certificates. */
const certificatesPath = 'etc/ssl/certs/ca-certificates.crt';

/** The content of an image. */
export interface ImageInput {
  executable: string;
  /** The folder with the licenses and the bill of materials. */
  documents: string;
  epoch: number;
}

/** Writes the image into a folder. Returns the name of the file. */
export function createImage(out: string, { executable, documents, epoch }: ImageInput): string {
  const name = `boh-${releaseVersion()}-linux-x64.oci.tar`;
  const work = mkdtempSync(join(out, 'image-'));
  try {
    const tree = join(work, 'tree');
    createTree(tree, work, { executable, documents, epoch });
    const layout = join(work, 'layout');
    createLayout(layout, tree, epoch);
    normalize(layout, epoch);
    tar(layout, join(out, name), epoch);
  } finally {
    rmSync(work, { recursive: true });
  }
  return name;
}

function createTree(tree: string, work: string, { executable, documents, epoch }: ImageInput): void {
  const debian = join(work, 'debian');
  mkdirSync(debian, { recursive: true });
  unpack(packages, debian);
  // Packages of the same source have a link to the documents of one of them.
  const links = packages.map((name) => join(debian, 'usr/share/doc', name)).filter(isLink);
  unpack([...new Set(links.map((link) => readlinkSync(link)))], debian);
  for (const folder of ['usr/bin', 'etc/ssl/certs', 'usr/share/doc', 'data', 'tmp', 'proc', 'dev', 'sys'])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const library of librariesOf(executable)) copyLibrary(debian, tree, library);
  cpSync(executable, join(tree, 'usr/bin/boh'));
  writeFileSync(join(tree, certificatesPath), readCertificates(join(debian, 'usr/share/ca-certificates')));
  writeFileSync(join(tree, 'etc/passwd'), `boh:x:65532:65532::${home}:/usr/bin/boh\n`);
  writeFileSync(join(tree, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  cpSync(documents, join(tree, 'usr/share/doc/boh'), { recursive: true });
  for (const name of packages)
    cpSync(
      realpathSync(join(debian, 'usr/share/doc', name, 'copyright')),
      join(tree, 'usr/share/doc', name, 'copyright'),
    );
  normalize(tree, epoch);
}

function unpack(names: readonly string[], folder: string): void {
  run('apt-get', ['download', '-qq', ...names], { cwd: folder });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    run('dpkg-deb', ['-x', file, '.'], { cwd: folder });
    rmSync(join(folder, file));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

/** Returns the names of the program's shared libraries and of the loader. */
function librariesOf(executable: string): string[] {
  const headers = run('objdump', ['-p', executable]);
  return [...headers.matchAll(/^ +NEEDED +(\S+)$/gm)].map(([, name = '']) => name);
}

/** Copies a library, and the link to it if its name is a link. */
function copyLibrary(from: string, tree: string, name: string): void {
  const path = run('find', [from, '-name', name]).trim().split('\n')[0];
  if (!path) throw new Error(`None of ${packages.join(', ')} contains ${name}.`);
  const folder = name.startsWith('ld-') ? 'lib64' : 'lib/x86_64-linux-gnu';
  mkdirSync(join(tree, folder), { recursive: true });
  const realPath = realpathSync(path);
  cpSync(realPath, join(tree, folder, basename(realPath)));
  if (basename(realPath) !== name) symlinkSync(basename(realPath), join(tree, folder, name));
}

function readCertificates(folder: string): string {
  const files = run('find', [folder, '-name', '*.crt']).trim().split('\n').sort();
  return files.map((file) => `${readFileSync(file, 'utf8').trim()}\n`).join('');
}

/** Writes the image layout: https://github.com/opencontainers/image-spec/blob/main/image-layout.md */
function createLayout(layout: string, tree: string, epoch: number): void {
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const layerFile = join(dirname(layout), 'layer.tar');
  // /data belongs to the user of the image. Everyone can write to both folders.
  tar(tree, layerFile, epoch, [`--exclude=data`, '--exclude=tmp']);
  const userArgs = [`--owner=65532`, '--group=65532', '--mode=1777', '--append'];
  for (const folder of ['data', 'tmp'])
    run('tar', [
      '--format=ustar',
      `--mtime=@${epoch}`,
      '--numeric-owner',
      ...userArgs,
      '-f',
      layerFile,
      '-C',
      tree,
      folder,
    ]);
  const layer = readFileSync(layerFile);
  const created = new Date(epoch * 1000).toISOString();
  const writeBlob = (content: Buffer | string, mediaType: string) => {
    const bytes = Buffer.from(content);
    const digest = sha256(bytes);
    writeFileSync(join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const layerBlob = writeBlob(gzip(layer), 'application/vnd.oci.image.layer.v1.tar+gzip');
  const config = {
    created,
    architecture: 'amd64',
    os: 'linux',
    config: {
      User: user,
      Env: [`HOME=${home}`, 'PATH=/usr/bin', `SSL_CERT_FILE=/${certificatesPath}`, 'NODE_USE_SYSTEM_CA=1'],
      Entrypoint: ['/usr/bin/boh'],
      // Without arguments, the image is a sandbox for tests.
      Cmd: ['sandbox', 'serve', '--memory', '--host', '0.0.0.0'],
      ExposedPorts: { '4010/tcp': {} },
      WorkingDir: home,
      Volumes: { [home]: {} },
      Labels: { 'org.opencontainers.image.version': releaseVersion() },
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created, comment: 'boh, its shared libraries and certificates' }],
  };
  const configBlob = writeBlob(JSON.stringify(config), 'application/vnd.oci.image.config.v1+json');
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = { schemaVersion: 2, mediaType: manifestType, config: configBlob, layers: [layerBlob] };
  const manifestBlob = writeBlob(JSON.stringify(manifest), manifestType);
  const annotations = { 'org.opencontainers.image.ref.name': releaseVersion() };
  const index = { schemaVersion: 2, manifests: [{ ...manifestBlob, annotations }] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
