"""fakeAws.py PORT FOLDER: moto as the AWS of karpenter-provider-aws, on 127.0.0.1. FOLDER only marks the process.

Each function below restores one behaviour of AWS that moto 5.2 lacks and Karpenter depends on.
"""

import os
import sys

port = sys.argv[1]
os.environ["MOTO_PORT"] = port
# Hundreds of images that no test uses.
os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"

import moto.server  # noqa: E402
from moto.core.responses import ActionResult  # noqa: E402
from moto.core.utils import utcnow  # noqa: E402
from moto.ec2.models import instance_types  # noqa: E402
from moto.ec2.responses import EC2Response  # noqa: E402
from moto.ec2.utils import random_fleet_id  # noqa: E402
from moto.ssm.models import SimpleSystemManagerBackend  # noqa: E402

FAMILIES = ("c5", "m5", "r5", "t3", "m6i")
SHORTAGE_TAG = "test/shortage"


def few_instance_types():
    """Not a fix: Karpenter lists all types, and 1,377 of them take seconds."""

    def is_known(name):
        return name.split(".")[0] in FAMILIES

    known = instance_types.INSTANCE_TYPES
    for name in [it for it in known if not is_known(it)]:
        del known[name]
    listed = instance_types.InstanceTypeBackend.instance_types
    listed[:] = [it for it in listed if is_known(it.name)]
    for regions in instance_types.INSTANCE_TYPE_OFFERINGS.values():
        for offerings in regions.values():
            offerings[:] = [it for it in offerings if is_known(it["InstanceType"])]


def fleets():
    """CreateFleet launches the cheapest override, with the security groups of the template's network interfaces, where there is capacity.

    Karpenter writes the price of each override into its Priority. Moto launches the first one, without the groups, and never runs short.
    """

    def template_of(backend, specification):
        if "LaunchTemplateId" in specification:
            return backend.get_launch_template(template_id=specification["LaunchTemplateId"])
        return backend.get_launch_template_by_name(name=specification["LaunchTemplateName"])

    def groups_of(backend, specification):
        template = template_of(backend, specification)
        data = template.get_version(template.latest_version_number).data
        interfaces = data.get("NetworkInterfaces", [])
        return data.get("SecurityGroupIds", []) + [group for it in interfaces for group in it.get("Groups", [])]

    def is_short(backend, override):
        tags = backend.get_subnet(override["SubnetId"]).get_tags() if "SubnetId" in override else []
        return any(tag["key"] == SHORTAGE_TAG for tag in tags)

    def price(override):
        return float(override.get("Priority", 0))

    def create_fleet(self):
        self.error_on_dryrun()
        backend, configs, errors = self.ec2_backend, [], []
        capacity = self._get_param("TargetCapacitySpecification", {})
        lifecycle = capacity.get("DefaultTargetCapacityType", "on-demand")
        for config in self._get_param("LaunchTemplateConfigs", []):
            specification, overrides = config["LaunchTemplateSpecification"], []
            groups = groups_of(backend, specification)
            for override in sorted(config["Overrides"], key=price):
                if is_short(backend, override):
                    errors.append(
                        {
                            "ErrorCode": "InsufficientInstanceCapacity",
                            "ErrorMessage": "We currently do not have sufficient capacity in the Availability Zone you requested.",
                            "Lifecycle": lifecycle,
                            "LaunchTemplateAndOverrides": {
                                "LaunchTemplateSpecification": specification,
                                "Overrides": override,
                            },
                        }
                    )
                else:
                    overrides.append({**override, "GroupSet": groups})
            if overrides:
                configs.append({**config, "Overrides": overrides})
        if not configs:
            return ActionResult({"FleetId": random_fleet_id(), "Errors": errors, "Instances": []})
        fleet = backend.create_fleet(
            on_demand_options=self._get_param("OnDemandOptions", {}),
            spot_options=self._get_param("SpotOptions", {}),
            target_capacity_specification=capacity,
            launch_template_configs=sorted(configs, key=lambda it: price(it["Overrides"][0])),
            excess_capacity_termination_policy=None,
            replace_unhealthy_instances=False,
            terminate_instances_with_expiration=True,
            fleet_type="instant",
            valid_from=None,
            valid_until=None,
            tag_specifications=self._get_param("TagSpecifications", []),
        )
        return ActionResult({"FleetId": fleet.id, "Errors": errors, "Instances": fleet.instances})

    EC2Response.create_fleet = create_fleet


def images():
    """RegisterImage keeps the architecture, without which Karpenter ignores the image."""

    def register_image(self):
        image = self.ec2_backend.register_image(self._get_param("Name"), self._get_param("Description", ""))
        image.architecture = self._get_param("Architecture")
        image.virtualization_type = self._get_param("VirtualizationType")
        image.root_device_name = self._get_param("RootDeviceName")
        return ActionResult({"ImageId": image.id})

    EC2Response.register_image = register_image


def spot_prices():
    """DescribeSpotPriceHistory: moto's prices are 0.00001 and of 2006. These follow cores and memory, at about a third of on-demand."""

    def describe_spot_price_history(self):
        def price(name):
            known = instance_types.INSTANCE_TYPES[name]
            return 0.007 * known["VCpuInfo"]["DefaultVCpus"] + 0.002 * known["MemoryInfo"]["SizeInMiB"] / 1024

        offerings = self.ec2_backend.describe_spot_price_history(self._get_param("InstanceTypes", []), {})
        history = [
            {
                "InstanceType": it["InstanceType"],
                "AvailabilityZone": it["Location"],
                "ProductDescription": "Linux/UNIX",
                "SpotPrice": f"{price(it['InstanceType']):.4f}",
                "Timestamp": utcnow(),
            }
            for it in offerings
        ]
        return ActionResult({"SpotPriceHistory": history})

    EC2Response.describe_spot_price_history = describe_spot_price_history


def empty_lists():
    """Calls that moto does not know: this account has no capacity reservations and no placement groups."""
    EC2Response.describe_capacity_reservations = lambda self: ActionResult({"CapacityReservations": []})
    EC2Response.describe_placement_groups = lambda self: ActionResult({"PlacementGroups": []})


def public_parameters():
    """SSM's public parameters below /aws/service, which AWS writes and customers read. Here the test is AWS."""
    put = SimpleSystemManagerBackend.put_parameter

    def put_parameter(self, name, *rest, **named):
        if not name.startswith("/aws/service/"):
            return put(self, name, *rest, **named)
        private = "/test" + name
        written = put(self, private, *rest, **named)
        for version in self._parameters[private]:
            version.name = name
        self._parameters[name] = self._parameters[private]
        return written

    SimpleSystemManagerBackend.put_parameter = put_parameter


for restore in (few_instance_types, fleets, images, spot_prices, empty_lists, public_parameters):
    restore()
moto.server.main(["-H", "127.0.0.1", "-p", port])
