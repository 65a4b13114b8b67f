"""Finds the plan that is in force, and loads it from its file or from the compiled cache.

The cache is keyed by the engine, the policy, the settings and the digest of the plan's bytes, so a changed plan is
never answered from it. A plan that is not there leaves things open, with a note; a plan that is there and cannot
be used is a fault, and closed in strict. Nothing of this is imported where no plan is asked for.
"""

from __future__ import annotations

import os
import sys

from ... import PACKAGE, __version__
from ...build import BUILD, ORIGIN
from ...bytes.canon import canonical, digest, digest_of_bytes
from ...bytes.strict import parse_object
from ...limits import MAX_PLAN_BYTES, MAX_STATE_BYTES
from ...model.errors import InputError, InterlockError, StoreError
from ...model.facts import Facts
from ...plan.model import Plan, plan_from_wire, plan_to_wire
from ...plan.settings import settings_in
from ...policy.plan import Planned, PlanSettings, planned_to_wire
from ...policy.wire import policy_to_wire
from ...reading.places.paths import folded
from ...value import TYPE_CHECKING, Value, lazy
from .files import read_derived, read_file, write_derived
from .runs import LOCK, LOG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...plan.parse import compile_plan
    from ...policy.model import Policy
    from ..plan_yaml import plan_data
    from .folders import Folders
else:
    compile_plan = lazy(globals(), "...plan.parse", "compile_plan")
    plan_data = lazy(globals(), "..plan_yaml", "plan_data")

__all__ = ["PlanInForce", "plan_in_force"]


class PlanInForce(Value):
    """
    policy    the policy, bound to this plan
    plan      None where there is none, or none that can be used
    folder    the run folder, links followed
    root      the project folder
    settings  after the environment had its word
    own       files that the floor guards for as long as a session is held to the plan
    name      the plan's file as it is named, links not followed; empty where no folder is named
    """

    policy: Policy
    plan: Plan | None
    folder: str
    root: str
    settings: PlanSettings
    own: tuple[str, ...] = ()
    name: str = ""


def plan_in_force(policy: Policy, folders: Folders, root: str, environment: Mapping[str, str]) -> PlanInForce:
    """The plan for calls in the project `root`."""
    settings, notices = settings_in(policy.plan, environment)
    policy = policy.replace(notices=(*policy.notices, *notices)) if notices else policy
    given = "." if settings.dir is None and policy.plan is not None else settings.dir
    if given is None:
        return _without(policy, settings, root, "", "no folder is named (NOUS_ITER_DIR or INTERLOCK_PLAN_DIR)")
    named = os.path.join(root, folders.home + given[1:] if given == "~" or given.startswith("~/") else given)
    folder = os.path.realpath(named)
    name = f"{os.path.abspath(named)}/{settings.file}"
    file = f"{folder}/{settings.file}"
    own = _own((file, f"{folder}/{LOG}", f"{folder}/{LOCK}"), named)
    if not os.path.isdir(folder):
        return _without(policy, settings, root, folder, f"the folder {named} is not there", name, own)
    planned = _planned(settings, file)
    try:
        raw = read_file(file, limit=MAX_PLAN_BYTES)
    except StoreError as error:
        return _faulty(policy, settings, root, folder, planned.replace(fault=str(error)), own, name)
    if raw is None:
        if os.path.lexists(file):  # a link into nothing is not the same as no plan
            return _faulty(policy, settings, root, folder, planned.replace(fault=f"`{file}` leads nowhere"), own, name)
        return _without(policy, settings, root, folder, f"there is no {file}", name, own)
    planned = planned.replace(digest=digest_of_bytes(raw))
    if settings.digest not in ("", planned.digest):
        changed = planned.replace(fault=f"{file} has changed since a person gave it to this run")
        return _faulty(policy, settings, root, folder, changed, own, name)
    plan, planned, bound = _compiled(raw, policy, planned, folders, root)
    return PlanInForce(
        policy=policy.replace(planned=planned, digest=bound),
        plan=plan,
        folder=folder,
        root=root,
        settings=settings,
        own=own,
        name=name,
    )


def _planned(settings: PlanSettings, file: str) -> Planned:
    return Planned(
        enforcement=settings.enforcement,
        file=file,
        match=settings.match,
        marker=settings.marker,
        limit=settings.markers_per_run,
        programs=settings.programs,
    )


def _without(
    policy: Policy, settings: PlanSettings, root: str, folder: str, why: str, name: str = "", own: tuple[str, ...] = ()
) -> PlanInForce:
    planned = _planned(settings, "").replace(missing=why)
    return _faulty(policy, settings, root, folder, planned, own, name)


def _faulty(
    policy: Policy,
    settings: PlanSettings,
    root: str,
    folder: str,
    planned: Planned,
    own: tuple[str, ...],
    name: str,
) -> PlanInForce:
    return PlanInForce(
        policy=_bound(policy, planned),
        plan=None,
        folder=folder,
        root=root,
        settings=settings,
        own=own,
        name=name,
    )


def _bound(policy: Policy, planned: Planned) -> Policy:
    policy = policy.replace(planned=planned)
    return policy.replace(digest=digest(policy_to_wire(policy)))


def _own(files: tuple[str, ...], named: str) -> tuple[str, ...]:
    """Each file under its real name, and under the one that led to the run folder."""
    spellings = [
        spelling
        for file in files
        for spelling in (file, os.path.realpath(file), f"{os.path.abspath(named)}/{os.path.basename(file)}")
    ]
    return tuple(dict.fromkeys([folded(spelling) + "/" for spelling in spellings]))


def _compiled(
    raw: bytes, policy: Policy, planned: Planned, folders: Folders, root: str
) -> tuple[Plan | None, Planned, str]:
    """The plan, what the layer reads of it, and the digest of the policy that is bound to it."""
    key = digest([__version__, BUILD, policy.digest, planned_to_wire(planned), root, folders.home])
    path = f"{folders.cache}/plan-{key[len('sha256:') :]}.json"
    kept = _from_cache(path)
    if kept is not None:
        plan, fault, bound = kept
        return plan, planned.replace(fault=fault), bound

    plan, fault = None, ""
    lasting = True
    try:
        facts = Facts(root=root, home=folders.home, commands=policy.commands)
        plan = compile_plan(_data(raw), facts)
    except InputError as error:
        fault = f"{planned.file}: {error}"
    except OSError as error:  # no child could be started: that may be better next time
        fault, lasting = f"{planned.file} could not be read: {error.strerror or error}", False
    planned = planned.replace(fault=fault)
    bound = _bound(policy, planned).digest
    if lasting:
        _to_cache(path, plan, fault, bound)
    return plan, planned, bound


def _data(raw: bytes) -> object:
    """The YAML as data. InputError where it is none."""
    try:
        return plan_data(raw)
    except ImportError:  # the hook has no site-packages
        return _data_of_child(raw)
    except ValueError as error:
        raise InputError(str(error)) from None


def _data_of_child(raw: bytes) -> object:
    arguments = [sys.executable, "-I", f"{PACKAGE}/store/plan_yaml.py", os.path.dirname(ORIGIN or PACKAGE)]
    theirs, ours = os.pipe()
    answer, their_answer = os.pipe()
    try:
        child = os.posix_spawn(
            sys.executable,
            arguments,
            {"PATH": os.defpath},
            file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 0), (os.POSIX_SPAWN_DUP2, their_answer, 1)],
        )
    finally:
        os.close(theirs)
        os.close(their_answer)
    # INVARIANT: the child reads all of its input before it writes, so neither waits for the other.
    view = memoryview(raw)
    try:
        while view:
            view = view[os.write(ours, view) :]
    except BrokenPipeError:
        pass  # it has ended already, and what it said, or did not say, is read below
    os.close(ours)
    chunks = []
    while chunk := os.read(answer, 1 << 16):
        chunks.append(chunk)
    os.close(answer)
    os.waitpid(child, 0)
    told = parse_object(b"".join(chunks), limit=MAX_STATE_BYTES)
    if "fault" in told:
        raise InputError(str(told["fault"]))
    return told["data"]


def _from_cache(path: str) -> tuple[Plan | None, str, str] | None:
    try:
        body = read_derived(path, limit=MAX_STATE_BYTES)
        if body is None:
            return None
        kept = parse_object(body, limit=MAX_STATE_BYTES)
        plan = None if kept["plan"] is None else plan_from_wire(kept["plan"])  # type: ignore[arg-type]
        return plan, str(kept["fault"]), str(kept["policy"])
    except (InterlockError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _to_cache(path: str, plan: Plan | None, fault: str, bound: str) -> None:
    body = canonical({"fault": fault, "plan": None if plan is None else plan_to_wire(plan), "policy": bound})
    write_derived(path, body)
