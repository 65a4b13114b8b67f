"""Disks, file systems and volumes: what formats, wipes, mounts and checks them."""

from __future__ import annotations

from ...value import TYPE_CHECKING
from .kinds import SETS, apart, each
from .spec import Adds, P, effects

if TYPE_CHECKING:
    from typing import Any

__all__ = ["PROGRAMS"]

_ROOT = "privileged"
_GONE: dict[str, Any] = {"irreversible": True, "risk": "critical"}
_LVM = (
    "-a:text -A:text -c:text -d:text -i:text -I:text -l:text -L:text -m:text -n:text -o:text -p:text -r:text -s "
    "-S:text -t -T -v -V:text -y -Z:text -f!force --thinpool:text --name:text --size:text --type:text -O:text "
    "--units:text --noheadings --config:text --resizefs"
)

_ROWS = (
    P("mkfs", "wipe text*", action="disk:format", does="destructive", tags=_ROOT, **_GONE, options="-t|--type:text "
      "-L:text -U:text -b:text -n:text -F -f -q -v -V -c -m:text -i:text -I:text -N:text -O:text -E:text -T:text "
      "-s:text -S:text -R:text -d:text -r:text -D:text -M:text -J:text", also="mkfs.ext2 mkfs.ext3 mkfs.ext4 "
      "mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.minix mkfs.cramfs mkfs.msdos "
      "mkfs.reiserfs mkfs.jfs mke2fs mkntfs mkdosfs mkexfatfs newfs newfs_apfs newfs_hfs mkswap",
      example="mkfs.ext4 /dev/sdb1"),
    P("wipefs", "wipe*", action="disk:wipe", does="destructive", tags=_ROOT, **_GONE, options="-a|--all -b|--backup "
      "-f|--force!force -n|--no-act -o:text -t:text -q -J -i -p -O:text", dryrun="-n -J -i -p",
      example="wipefs -n /dev/sdb"),
    P("blkdiscard", "wipe*", also="sg_format nvme-format badblocks scrub nwipe dban", action="disk:wipe",
      does="destructive", tags=_ROOT, **_GONE, options="-o:text -l:text -p:text -f -s -z -v -w -n -b:text"),
    P("fsck", "edit*", also="e2fsck fsck.ext4 fsck.xfs fsck.vfat fsck.btrfs xfs_repair ntfsfix dosfsck tune2fs "
      "resize2fs xfs_growfs e2label xfs_admin fatlabel ntfslabel btrfstune", action="disk:repair", does="write",
      tags=_ROOT,
      risk="high", options="-n|-N!trial -t:text -l!listing -b:text -B:text -C?:text -E:text -j:text -L:text -A -a "
      "-f -p -y -r -R -s -M -P -T -V -v -c -i:text -m:text -O:text -o:text -U:text -e:text -d -D",
      dryrun="trial listing"),
    P("dumpe2fs", "read*", also="xfs_info e2image filefrag", does="read", options="-h -b -f -i -o:text -x -v"),
    P("fstrim", "list*", also="e4defrag xfs_fsr", action="disk:trim", does="write", tags=_ROOT,
      options="-a -v -n -o:text -l:text -m:text -A", dryrun="-n"),
    P("fdisk", special="configure", also="cfdisk sfdisk gdisk cgdisk sgdisk parted", action="disk:partition",
      does="destructive", tags=_ROOT, **_GONE, example="fdisk -l"),
    P("gparted", special="opaque", also="gnome-disks partitionmanager testdisk photorec ddrescue",
      does="destructive execute", tags=_ROOT),
    P("partprobe", "list*", also="kpartx udevadm blockdev", special="opaque", does="write", tags=_ROOT),
    P("mount", "source? covered?", also="mount.nfs mount.cifs mount_nfs mount_smbfs", action="fs:mount", does="write",
      tags=_ROOT, example="mount /dev/sdb1 /mnt", options="-t|--types:text -o|--options:text -L:text -U:text "
      "-O:text -T:read -N:text -a!all -B|--bind -R|--rbind -M|--move -r -w -f -i -l -n -s -v --make-private "
      "--make-shared --make-rshared --source:source --target:covered", flags={"all": Adds(effects=effects("write"))}),
    P("umount", "covered*", also="unmount fusermount fusermount3", action="fs:unmount", does="write", tags=_ROOT,
      options="-f!force -l!lazy -a!all -r -R -d -n -i -t:text -O:text -u -z -q -v"),
    P("mountpoint", "list*", also="", does="read", options="-q -d -x"),
    P("losetup", special="configure", action="disk:loop", does="write", tags=_ROOT),
    P("swapon", "list*", action="disk:swap", does="write", tags=_ROOT, options="-s|--summary!shows "
      "--show?:text!shows -a -d?:text -e -f -L:text -U:text -p:number -v -o:text --noheadings --raw --bytes",
      dryrun="shows"),
    P("swapoff", "list*", action="disk:swap", does="write", tags=_ROOT, options="-a -v -L:text -U:text"),
    P("hdparm", special="configure", also="sdparm nvme", action="disk:configure", does="destructive", tags=_ROOT,
      **_GONE),
    P("cryptsetup", words=2, options="-q -v --type:text -d|--key-file:text -y -c:text -s:text -h:text -S:text "
      "--header:text --batch-mode --readonly --allow-discards --pbkdf:text", subs=(
        *each("cryptsetup", "status luksDump isLuks luksUUID benchmark", "read", operands="list*"),
        *each("cryptsetup", "luksFormat format erase luksErase reencrypt luksKillSlot luksHeaderRestore convert",
          "destructive", operands="wipe text*", tags=_ROOT,
          options="-d|--key-file:text --type:text -q -c:text -s:text -h:text", **_GONE),
        *each("cryptsetup", "open close luksOpen luksClose plainOpen resize luksAddKey luksRemoveKey luksChangeKey "
          "luksSuspend luksResume luksHeaderBackup refresh config", "write", operands="text*",
          tags="privileged secret"))),
    P("pvs", "text*", also="vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan lvmdiskscan lvmconfig vgck "
      "dmstats", does="read", options=_LVM),
    P("pvcreate", "wipe*", also="pvremove", action="lvm:change", does="destructive", tags=_ROOT, options=_LVM,
      dryrun="-t", **_GONE),
    P("vgremove", "volume*", also="lvremove vgreduce lvreduce lvm pvck", action="lvm:remove", does="destructive",
      tags=_ROOT, options=_LVM, dryrun="-t", **_GONE),
    P("vgcreate", "volume*", also="lvcreate vgextend lvextend lvresize lvchange vgchange pvchange pvresize pvmove "
      "lvrename vgrename vgimport vgexport lvconvert vgmerge vgsplit vgcfgbackup vgcfgrestore", action="lvm:change",
      does="write", tags=_ROOT, risk="high", options=_LVM, dryrun="-t"),
    P("debugfs", special="opaque", also="xorriso mksquashfs", does="read write", tags=_ROOT),
    P("dmsetup", special="opaque", does="destructive", tags=_ROOT),
    P("mdadm", special="configure", action="disk:raid", does="destructive", tags=_ROOT, **_GONE),
    P("zfs", words=2, example="zfs list", subs=(
        *each("zfs", "list get diff holds userspace groupspace version", "read",
          options="-o:text -t:text -s:text -S:text -d:text -r -H -p"),
        *each("zfs",
          "allow create snapshot snap clone set inherit rename mount unmount umount share unshare hold release "
          "promote bookmark upgrade load-key unload-key change-key", "write", operands="dataset*", tags=_ROOT,
          options="-o:text -V:text -p -r -s -b:text -n"),
        *each("zfs", "destroy rollback", "destructive", operands="dataset*", tags=_ROOT,
          options="-r!recursive -R!recursive -f!force -d -n -p -v", dryrun="-n", **_GONE),
        *each("zfs", "send", "read", operands="dataset*", options="-i:text -I:text -R -v -n -P -c"),
        *each("zfs", "receive recv", "destructive", operands="dataset*", tags=_ROOT,
          options="-F!force -u -v -n -o:text -x:text", **_GONE))),
    P("zpool", words=2, subs=(
        *each("zpool", "list status get iostat history version", "read",
          options="-o:text -T:text -c:command -v -H -p -L -P -x"),
        *each("zpool", "events", "read", options="-v -H -f -c", flags={"-c": SETS}),
        *each("zpool",
          "set scrub import export online offline clear trim resilver upgrade reopen attach checkpoint wait",
          "write", operands="pool*", tags=_ROOT, options="-o:text -d:text -R:text -f!force -a -N"),
        *each("zpool", "create destroy add remove detach replace labelclear split reguid", "destructive",
          operands="pool*", tags=_ROOT, options="-f!force -n -o:text -O:text -R:text -m:text", dryrun="-n", **_GONE))),
    P("btrfs", words=3, subs=(
        P("subvolume", words=3, also="sub", subs=(
        *each("btrfs", "list show get-default find-new", "read"),
        *each("btrfs", "create snapshot set-default sync", "write", operands="write*", options="-r -i:text -p"),
        *each("btrfs", "delete del", "destructive", operands="delete*", options="-c -C -i:text -v", tags=_ROOT,
          **_GONE))),
        P("filesystem", words=3, also="fi", subs=(
        *each("btrfs", "df du show usage", "read"),
        *each("btrfs", "defragment resize label sync mkswapfile", "write", tags=_ROOT))),
        P("device", words=3, subs=(
        *each("btrfs", "usage ready", "read"),
        *each("btrfs", "stats scan", "read", options="-c -T -z|--reset -u|--forget", flags={"-z": SETS, "-u": SETS}),
        *each("btrfs", "add remove delete", "destructive", operands="wipe* list", tags=_ROOT, **_GONE))),
        *(P(kind, words=3, subs=(
        *each("btrfs", "status show get list", "read"),
        *each("btrfs", "start pause cancel resume enable disable rescan set limit assign remove create destroy",
          "write", tags=_ROOT))) for kind in ("balance", "scrub", "quota", "qgroup", "property")),
        *each("btrfs", "send", "read", options="-f:write -e -p:list -c:list -v -q --no-data"),
        *each("btrfs", "inspect-internal version", "read"),
        *each("btrfs", "check restore receive rescue replace", "destructive", tags=_ROOT, **_GONE))),
    P("snapper", words=2, options="-c|--config:text -q -v --no-dbus --csvout --jsonout", subs=(
        *each("snapper", "list status diff list-configs get-config", "read"),
        *each("snapper", "create modify create-config set-config", "write", tags=_ROOT),
        *each("snapper", "delete undochange rollback cleanup", "destructive", tags=_ROOT, irreversible=True))),
    P("timeshift", special="opaque", does="destructive", tags=_ROOT),
    P("quota", "text*", also="repquota quotastats", does="read"),
    P("setquota", "text*", also="edquota quotaon quotaoff quotacheck", action="disk:quota", does="write", tags=_ROOT),
    P("eject", "text*", also="udisksctl", action="fs:unmount", does="write"),
    P("mkisofs", "read*", also="genisoimage", does="write", options="-o:write -V:text -A:text -p:text -b:text "
      "-c:text -e:text -graft-points -J -R -r -l -quiet -joliet -rock -osirrox:text -indev:read -extract:text "
      "-as:text", flags={"-osirrox": Adds(effects=effects("write"))}),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
